// Whether an answer fits its schema, found out without holding up the server: the check has a thread, and so long.
import { Worker } from 'node:worker_threads';
import { threadProgram } from '../../places.ts';
import type { Checked, JsonSchema } from './outputSchema.ts';

/** The schema itself is none, or cannot be held against anything in time. */
export class SchemaUnusable extends Error {
  override name = 'SchemaUnusable';
}

const limits = { milliseconds: 5000, maxOldGenerationSizeMb: 128 };

/** `text` null only looks whether the schema is one. */
export async function checkAnswer(schema: JsonSchema, text: string | null, signal: AbortSignal): Promise<Checked> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Checked>();
  const thread = new Worker(threadProgram('runtimes/prompt/schemaThread'), {
    workerData: { schema, text },
    resourceLimits: { maxOldGenerationSizeMb: limits.maxOldGenerationSizeMb },
  });
  let late: NodeJS.Timeout | undefined;
  // A busy machine may be slow to begin.
  thread.on('online', () => {
    late = setTimeout(() => reject(new SchemaUnusable(tooSlow)), limits.milliseconds);
  });
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop);
  thread.on('message', resolve);
  thread.on('error', (error) => reject(new SchemaUnusable(`@output_schema cannot be used: ${reasonOf(error)}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const tooSlow = `The answer could not be held against its schema within ${limits.milliseconds / 1000} seconds; simplify @output_schema.`;
