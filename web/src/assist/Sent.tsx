// Exactly what a question would send, and to whom; nothing is sent to show it.
import { useEffect, useState } from 'react';
import type { AssistPreviewBody } from '../../../src/protocol/index.ts';
import { previewAssist, type Wish } from '../api/assist.ts';
import { messageOf } from '../api/index.ts';

export function Sent({ sessionId, wish, to }: { sessionId: string; wish: Wish; to: string }) {
  const [isOpen, setOpen] = useState(false);
  const [preview, setPreview] = useState<AssistPreviewBody | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const asked = JSON.stringify(wish);

  useEffect(() => {
    if (!isOpen) return;
    const asking = new AbortController();
    previewAssist(sessionId, JSON.parse(asked), asking.signal).then(
      (found) => {
        setPreview(found);
        setProblem(null);
      },
      (error: unknown) => {
        if (!asking.signal.aborted) setProblem(messageOf(error));
      },
    );
    return () => asking.abort();
  }, [isOpen, sessionId, asked]);

  return (
    <details className="assist-sent" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What is sent to {to}</summary>
      {problem !== null && <p>{problem}</p>}
      {problem === null && preview && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keys too
        <section tabIndex={0} aria-label="What is sent">
          {preview.messages.map(({ role, content }) => (
            <pre key={role}>{content}</pre>
          ))}
        </section>
      )}
    </details>
  );
}
