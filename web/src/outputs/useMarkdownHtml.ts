// The HTML of a text: at once for a short one, from a worker for one that could hold the page up.
import { useEffect, useMemo, useState } from 'react';
import { asWritten, htmlOf } from './markdownHtml.ts';

/** Whatever is written, this much is rendered in a tenth of a second. */
const shortCharacters = 6_000;
/** What is not rendered within this stands as it was written. */
const renderedWithinMs = 2_000;

export function useMarkdownHtml(text: string): string {
  const isShort = text.length <= shortCharacters;
  const atOnce = useMemo(() => (isShort ? htmlOf(text) : undefined), [text, isShort]);
  const [fromWorker, setFromWorker] = useState<string>();

  useEffect(() => {
    if (isShort) return;
    const worker = new Worker(new URL('./markdown.worker.ts', import.meta.url), { type: 'module' });
    const finish = (html: string): void => {
      clearTimeout(timer);
      worker.terminate();
      setFromWorker(html);
    };
    const timer = setTimeout(() => finish(asWritten(text)), renderedWithinMs);
    worker.onmessage = ({ data }: MessageEvent<string>) => finish(data);
    worker.onerror = () => finish(asWritten(text));
    worker.postMessage(text);
    return () => {
      clearTimeout(timer);
      worker.terminate();
    };
  }, [text, isShort]);

  return atOnce ?? fromWorker ?? asWritten(text);
}
