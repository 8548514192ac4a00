// Renders texts of a page in a thread of its own: they come from a notebook, and may take for ever.
import { parentPort, workerData } from 'node:worker_threads';
import type { PageText } from './renderBeside.ts';
import { openRenderer } from './renderMarkdown.ts';

const { markdown, latex } = await openRenderer();

function rendered({ kind, text }: PageText): string | null {
  try {
    return kind === 'formula' ? latex(text) : markdown(text);
  } catch {
    return null; // nested deeper than anybody writes
  }
}

parentPort?.postMessage('ready');
const texts: readonly PageText[] = workerData;
for (const text of texts) parentPort?.postMessage({ html: rendered(text) });
