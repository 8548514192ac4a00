// What the process of a cell says of its run: one file of JSON in the job's output folder, and the files of values beside it.
// The cell could write there too, so that nothing in it is believed unseen.
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { parseExactly } from '../exactJson.ts';
import { digestOfFile, readOwnFile } from '../files/index.ts';
import type { ProcessEnding } from './cellProcess.ts';
import { cancelledError, plainError, timeoutError } from './endings.ts';
import { fileName } from './python/messages.ts';
import type { CellError, Job, Outcome, ValueRecord } from './runtime.ts';

export const resultFileName = 'result.json';

export const writtenRecord = z.object({
  content_type: z.string(),
  file: fileName.optional(),
  rows: z.int().optional(),
  columns: z.array(z.string()).optional(),
  type: z.string().optional(),
  text: z.string().optional(),
  error: z.string().optional(),
  width: z.int().optional(),
  height: z.int().optional(),
  markdown_text: z.string().optional(),
  inline_text: z.string().optional(),
  /** A list of one: a value that may be null. */
  preview: z.unknown().optional(),
});
export type WrittenRecord = z.infer<typeof writtenRecord>;

/** Undefined for what the process did not write. */
export async function readResult<T>(folder: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.parse(parseExactly(String(await readOwnFile(path.join(folder, resultFileName)))));
  } catch {
    return undefined;
  }
}

const mostInline = 4 * 1024 * 1024;

export async function storedRecord({ preview, ...one }: WrittenRecord, folder: string): Promise<ValueRecord> {
  const shown = Array.isArray(preview) ? { preview: preview[0] } : {};
  const { file } = one;
  if (file === undefined) return { ...one, ...shown };
  const place = path.join(folder, file);
  const found = await fs.lstat(place);
  // A link would have the server read what the cell could not.
  if (!found.isFile()) return { content_type: one.content_type, error: `${file} is not the file that was written` };
  const { size } = found;
  const isPicture = one.content_type.startsWith('image/') && size < mostInline;
  const inline = isPicture ? { inline_data_url: await dataUrl(place, one.content_type) } : {};
  return { ...one, ...shown, ...inline, bytes: size, sha256: await digestOfFile(place) };
}

const dataUrl = async (file: string, type: string): Promise<string> =>
  `data:${type};base64,${(await fs.readFile(file)).toString('base64')}`;

export async function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T) => Promise<U>,
): Promise<Record<string, U>> {
  const entries: [string, U][] = [];
  for (const [name, value] of Object.entries(record)) entries.push([name, await change(value)]);
  return Object.fromEntries(entries);
}

export interface RunEnd {
  /** Undefined when the process said nothing; null when all went well. */
  readonly error: CellError | null | undefined;
  readonly isCancelled: boolean;
  readonly isLate: boolean;
  readonly ending: ProcessEnding;
}

export function verdictOf(
  language: string,
  { timeoutSeconds, timeoutLever }: Pick<Job, 'timeoutSeconds' | 'timeoutLever'>,
  { error, isCancelled, isLate, ending }: RunEnd,
): { outcome: Outcome; error: CellError | null } {
  if (isCancelled) return { outcome: 'cancelled', error: cancelledError() };
  if (isLate) return { outcome: 'timeout', error: timeoutError(timeoutSeconds ?? 0, timeoutLever) };
  if (error === undefined) {
    const how = ending.signal === null ? `with status ${ending.status}` : `by ${ending.signal}`;
    return {
      outcome: 'died',
      error: plainError('CellProcessDied', `${language} ended ${how} before the cell had a result.`),
    };
  }
  return error === null ? { outcome: 'success', error } : { outcome: 'error', error };
}
