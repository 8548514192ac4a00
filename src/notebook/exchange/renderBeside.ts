// Texts of a page as HTML, worked out beside the server: Markdown takes the square of its length where somebody wants it to,
// and formulas may be made of others.
import { Worker } from 'node:worker_threads';
import { threadProgram } from '../../places.ts';

export interface PageText {
  readonly kind: 'markdown' | 'formula';
  readonly text: string;
}

/** For one text, once the thread can render, and for all of a page. */
const usual = { textMilliseconds: 3_000, pageMilliseconds: 20_000, maxOldGenerationSizeMb: 256 };

/** In their order; null where one could not be rendered in time. */
export async function renderBeside(texts: readonly PageText[], limits = usual): Promise<(string | null)[]> {
  const end = performance.now() + limits.pageMilliseconds;
  const done: (string | null)[] = [];
  while (done.length < texts.length && performance.now() < end) {
    done.push(...(await inThread(texts.slice(done.length), limits, end)));
    if (done.length < texts.length) done.push(null);
  }
  return texts.map((_, at) => done[at] ?? null);
}

/** As far as a thread came before it took too long. */
async function inThread(texts: readonly PageText[], limits: typeof usual, end: number): Promise<(string | null)[]> {
  const done: (string | null)[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const { maxOldGenerationSizeMb } = limits;
  const thread = new Worker(threadProgram('notebook/exchange/markdownThread'), {
    workerData: texts,
    resourceLimits: { maxOldGenerationSizeMb },
  });
  let late: NodeJS.Timeout | undefined;
  const waitFor = (milliseconds: number): void => {
    clearTimeout(late);
    late = setTimeout(resolve, Math.min(milliseconds, end - performance.now()));
  };
  waitFor(limits.pageMilliseconds);
  thread
    .on('message', (message: 'ready' | { readonly html: string | null }) => {
      if (message !== 'ready') done.push(message.html);
      waitFor(limits.textMilliseconds);
    })
    .on('error', () => resolve())
    .on('exit', () => resolve());
  try {
    await over;
    return done;
  } finally {
    clearTimeout(late);
    await thread.terminate();
  }
}
