// A text that is shown: as it came with the cell, or, where it is too long for that, fetched from where it is stored.
import { type ReactNode, useEffect, useState } from 'react';
import { messageOf } from '../api/index.ts';
import { Message } from '../ui/index.ts';

/** More than this is left to whoever downloads it. */
const mostBytes = 32 * 1024 * 1024;

interface StoredProps {
  readonly inline: string | null;
  /** Where its bytes are; null where they are not kept. */
  readonly address: string | null;
  readonly bytes: number;
  readonly children: (text: string) => ReactNode;
}

export function Stored({ inline, address, bytes, children }: StoredProps) {
  const isFetched = inline === null && address !== null && bytes <= mostBytes;
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (!isFetched || address === null) return;
    const leaving = new AbortController();
    async function read(from: string): Promise<void> {
      const answer = await fetch(from, { signal: leaving.signal });
      if (!answer.ok) throw new Error('This output is not kept any more. Run the cell again.');
      setText(await answer.text());
    }
    read(address).catch((error: unknown) => {
      if (!leaving.signal.aborted) setProblem(messageOf(error));
    });
    return () => leaving.abort();
  }, [isFetched, address]);
  if (inline !== null) return children(inline);
  if (!isFetched) return <TooLarge address={address} />;
  if (problem !== null) return <Message tone="error">{problem}</Message>;
  return text === null ? <p className="quiet">Loading …</p> : children(text);
}

export function TooLarge({ address }: { address: string | null }) {
  const download = address === null ? null : <a href={address}>Download it</a>;
  return <Message action={download}>This value is too large to be shown whole.</Message>;
}
