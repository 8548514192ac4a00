// The process of a cell that is kept for its widgets, as one page sees it: what a person does is sent to it, one answer after the other,
// and what came of that is told to the frames.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ServerPayload } from '../../../src/protocol/index.ts';
import type { NotebookSession } from '../notebook/session.ts';
import { useStore } from '../state/index.ts';
import type { CommMessage } from '../widgets/messages.ts';
import { widgetRelay } from './widgetRelay.ts';

type Answer = ServerPayload<'widgets_kept'>;

export interface KeptCell {
  readonly status: 'off' | 'starting' | 'kept';
  /** Why it is off; null where it was never on. */
  readonly reason: string | null;
  readonly printed: string;
  keep(): void;
  release(): void;
}

const mostPrinted = 20_000;

/** `mayRun`: false for who only looks; what they do on widgets goes nowhere. */
export function useKeptCell({ link, store }: NotebookSession, cellId: string, mayRun: boolean): KeptCell {
  const answers = useStore(store, (model) => model.keptAnswers);
  const startsItself = useStore(store, (model) => model.keepsWidgets);
  const [status, setStatus] = useState<KeptCell['status']>('off');
  const [reason, setReason] = useState<string | null>(null);
  const [printed, setPrinted] = useState('');
  const waiting = useRef<CommMessage[]>([]);
  const isAsked = useRef(false);
  const isOn = useRef(false);
  const seen = useRef<Answer>(answers.at(-1));

  const sendWaiting = useCallback(() => {
    if (isAsked.current || waiting.current.length === 0) return;
    isAsked.current = true;
    link.send('widgets_send', { cell_id: cellId, messages: waiting.current.splice(0, 200).map(written) });
  }, [link, cellId]);

  const keep = useCallback(() => {
    setStatus('starting');
    setReason(null);
    setPrinted('');
    isAsked.current = true;
    isOn.current = true;
    link.send('widgets_keep', { cell_id: cellId });
  }, [link, cellId]);

  useEffect(() => {
    const from = seen.current === undefined ? 0 : answers.lastIndexOf(seen.current) + 1;
    seen.current = answers.at(-1);
    for (const answer of answers.slice(from)) {
      if (answer.cell_id !== cellId) continue;
      // An end is told to all who watch, and is news only where it was on.
      if (answer.kept || isOn.current) {
        setStatus(answer.kept ? 'kept' : 'off');
        setReason(answer.reason ?? null);
      }
      isOn.current = answer.kept;
      isAsked.current = false;
      if (answer.printed !== '') setPrinted((before) => (before + answer.printed).slice(-mostPrinted));
      // What a person did meanwhile is newer.
      const newer = new Set(waiting.current.map(({ model }) => model));
      widgetRelay.tell(
        cellId,
        answer.messages.map(read).filter(({ model, kind }) => kind !== 'comm_open' || !newer.has(model)),
      );
      if (!answer.kept) waiting.current = [];
    }
    if (status === 'kept') sendWaiting();
  }, [answers, cellId, status, sendWaiting]);

  useEffect(
    () =>
      widgetRelay.listen(cellId, (message) => {
        if (!mayRun || message.kind !== 'comm_msg' || (status === 'off' && !startsItself)) return;
        add(waiting.current, message);
        if (status === 'off') keep();
        else if (status === 'kept') sendWaiting();
      }),
    [cellId, mayRun, status, startsItself, keep, sendWaiting],
  );

  const release = useCallback(() => void link.send('widgets_release', { cell_id: cellId }), [link, cellId]);
  return { status, reason, printed, keep, release };
}

/** Of values that changed several times while nobody could be told, the last counts. */
function add(waiting: CommMessage[], message: CommMessage): void {
  const last = waiting.at(-1);
  const isUpdate = ({ data, buffers }: CommMessage): boolean => data.method === 'update' && buffers.length === 0;
  if (last?.model === message.model && isUpdate(last) && isUpdate(message))
    waiting[waiting.length - 1] = {
      ...message,
      data: { ...message.data, state: { ...last.data.state, ...message.data.state } },
    };
  else waiting.push(message);
}

const written = ({ buffers, ...message }: CommMessage) => ({
  ...message,
  buffers: buffers.map((buffer) =>
    btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('')),
  ),
});

const read = ({ buffers, ...message }: Answer['messages'][number]): CommMessage => ({
  ...message,
  buffers: buffers.map((text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer),
});
