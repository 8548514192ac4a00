// A question to the model and its answer as it comes; whoever leaves takes the question back.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { AssistEvent } from '../../../src/protocol/index.ts';
import { askAssist, type Wish } from '../api/assist.ts';
import { messageOf } from '../api/index.ts';

export type Answer =
  | { readonly state: 'none' }
  | { readonly state: 'coming'; readonly text: string; readonly notice: string | null }
  | ({ readonly state: 'done' } & Extract<AssistEvent, { type: 'done' }>)
  | { readonly state: 'failed'; readonly message: string };

export function useAnswer(sessionId: string): {
  readonly answer: Answer;
  ask(wish: Wish): void;
  stop(): void;
} {
  const [answer, setAnswer] = useState<Answer>({ state: 'none' });
  const asking = useRef<AbortController>(undefined);

  const stop = useCallback(() => {
    asking.current?.abort();
    asking.current = undefined;
    setAnswer({ state: 'none' });
  }, []);

  useEffect(() => () => asking.current?.abort(), []);

  const ask = useCallback(
    (wish: Wish) => {
      asking.current?.abort();
      const mine = new AbortController();
      asking.current = mine;
      let isOver = false;
      setAnswer({ state: 'coming', text: '', notice: null });
      const hear = (event: AssistEvent) => {
        if (mine.signal.aborted) return;
        isOver ||= event.type === 'done' || event.type === 'failed';
        setAnswer((now) => heard(now, event));
      };
      askAssist(sessionId, wish, hear, mine.signal).then(
        () => {
          if (!isOver) hear({ type: 'failed', message: 'The answer broke off: the server has stopped it. Ask again.' });
        },
        (error: unknown) => hear({ type: 'failed', message: messageOf(error) }),
      );
    },
    [sessionId],
  );

  return { answer, ask, stop };
}

function heard(now: Answer, event: AssistEvent): Answer {
  if (event.type === 'done') return { state: 'done', ...event };
  if (event.type === 'failed') return { state: 'failed', message: event.message };
  const { text, notice } = now.state === 'coming' ? now : { text: '', notice: null };
  if (event.type === 'notice') return { state: 'coming', text, notice: event.text };
  return { state: 'coming', text: text + event.text, notice };
}
