// The line of a prompt: what was asked before comes back with the arrows, Tab completes what is being written.
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';

export interface Offer {
  readonly label: string;
  /** The line with it. */
  readonly line: string;
}

export interface PromptLine {
  readonly text: string;
  readonly offers: readonly Offer[];
  /** Of the offers; Tab goes on to the next. */
  readonly chosen: number;
  write(text: string): void;
  /** What was written, to be sent; the line is empty then. */
  take(): string;
  accept(offer: Offer): void;
  /** Whether the key was meant for the line. */
  press(event: KeyboardEvent<HTMLInputElement>): boolean;
}

/** `suggest`: what may stand for the word at the end of the text. */
export function usePromptLine(
  asked: readonly string[],
  suggest: (text: string, signal: AbortSignal) => Promise<readonly Offer[]>,
): PromptLine {
  const [text, setText] = useState('');
  const [offers, setOffers] = useState<readonly Offer[]>([]);
  const [chosen, setChosen] = useState(0);
  /** How many steps back the arrows have gone; 0 is what is being written. */
  const back = useRef({ steps: 0, written: '' });
  const asking = useRef<AbortController>(undefined);
  useEffect(() => () => asking.current?.abort(), []);

  function write(next: string): void {
    asking.current?.abort();
    back.current = { steps: 0, written: next };
    setText(next);
    setOffers([]);
  }

  const accept = ({ line }: Offer): void => write(line);

  async function complete(): Promise<void> {
    asking.current?.abort();
    const now = new AbortController();
    asking.current = now;
    const found = await suggest(text, now.signal);
    if (now.signal.aborted) return;
    const [only, ...more] = found;
    if (only !== undefined && more.length === 0) accept(only);
    else {
      setOffers(found);
      setChosen(0);
    }
  }

  function walk(step: number): void {
    const steps = Math.min(asked.length, Math.max(0, back.current.steps + step));
    const { written } = back.current;
    back.current = { steps, written };
    setOffers([]);
    setText(steps === 0 ? written : (asked[asked.length - steps] ?? ''));
  }

  return {
    text,
    offers,
    chosen,
    write,
    accept,
    take() {
      write('');
      return text;
    },
    press(event) {
      const offer = offers[chosen];
      if (event.key === 'ArrowUp' || event.key === 'ArrowDown') walk(event.key === 'ArrowUp' ? 1 : -1);
      else if (event.key === 'Tab' && !event.shiftKey && offer !== undefined) setChosen((chosen + 1) % offers.length);
      else if (event.key === 'Tab' && !event.shiftKey && /[\p{L}\p{N}_.]$/u.test(text)) complete().catch(() => {});
      else if (event.key === 'Enter' && offer !== undefined) accept(offer);
      else if (event.key === 'Escape' && offers.length > 0) setOffers([]);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
