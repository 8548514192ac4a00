// Runs R cells: each in an R of its own, which was started in the notebook's folder so that its library is active. Tables pass
// through Arrow where R can read it, otherwise as text that the data process converts.
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { parseExactly } from '../../exactJson.ts';
import { digestOfFile, giveTo, readOwnFile } from '../../files/index.ts';
import type { CellUser } from '../cellUser.ts';
import { createConsole } from '../console.ts';
import { fileName } from '../python/messages.ts';
import type { CellError, ConsoleEvent, InputFile, Job, Outcome, RunResult, ValueRecord } from '../runtime.ts';
import { leadingPackages } from './leadingPackages.ts';
import { type RSeen, rEffects } from './rEffects.ts';
import type { Ahead, RPool, TakenR } from './rPool.ts';
import type { REnding, RStream } from './rProcess.ts';

export interface FrameText {
  /** Writes an Arrow stream as a folder of text. */
  toText(file: string, folder: string): Promise<void>;
  fromText(folder: string, file: string): Promise<void>;
}

export interface RRuntimeParts {
  readonly processes: Pick<RPool, 'take' | 'startAfresh'>;
  /** Who runs the cell; undefined: the server's own user. */
  readonly user: CellUser | undefined;
  readonly frames: FrameText;
  /** Begins to look at what is opened and changed below a folder; undefined where nobody looks. */
  readonly watch?: ((folder: string) => Promise<{ end(): Promise<Omit<RSeen, 'drew'>> }>) | undefined;
  /** How much is kept of each stream of the console; undefined: the usual. */
  readonly consoleBytes?: number | undefined;
}

const record = z.object({
  content_type: z.string(),
  file: fileName.optional(),
  frame: fileName.optional(),
  rows: z.int().optional(),
  columns: z.array(z.string()).optional(),
  type: z.string().optional(),
  text: z.string().optional(),
  error: z.string().optional(),
  width: z.int().optional(),
  height: z.int().optional(),
  preview: z.unknown().optional(),
});
type RRecord = z.infer<typeof record>;

const resultSchema = z.object({
  error: z.object({ type: z.string(), message: z.string(), calls: z.array(z.string()) }).nullable(),
  variables: z.record(z.string(), record),
  displays: z.array(record),
  drew: z.boolean().default(false),
});

export async function runRCell(
  { processes, user, frames, watch, consoleBytes }: RRuntimeParts,
  job: Job,
  onEvent: (event: ConsoleEvent) => void,
  signal: AbortSignal,
): Promise<RunResult> {
  const began = performance.now();
  const console = createConsole(onEvent, consoleBytes);
  const limit = AbortSignal.timeout(Math.min(2 ** 31 - 1, (job.timeoutSeconds ?? 86_400) * 1000));
  const order = path.join(job.outputDir, 'job.json');
  const ahead: Ahead = { packages: leadingPackages(job.source), env: job.env, workDir: job.workDir };
  await fs.writeFile(order, JSON.stringify(await orderOf(job, ahead, frames)));
  if (user) for (const folder of [job.workDir, job.outputDir]) await giveTo(user, folder);
  const stop = AbortSignal.any([signal, limit]);
  const hear = (stream: RStream, bytes: Buffer): void => console.write(stream, bytes);
  const watching = await watch?.(job.workDir);
  const taken = await processes.take(ahead);
  let ending = await handOver(taken, order, hear, stop);
  // Somebody ended the process while it waited, and it has never heard of the job: another takes it.
  if (taken.hasWaited && !stop.aborted && existsSync(order))
    ending = await handOver(await processes.startAfresh(), order, hear, stop);
  const seen = await watching?.end();
  const text = console.end();
  const said = await readResult(path.join(job.outputDir, 'result.json'));
  const verdict = verdictOf(said, { cancelled: signal.aborted, late: limit.aborted, ending, job });
  const succeeded = said && verdict.outcome === 'success';
  return {
    ...verdict,
    variables: succeeded ? await storedAll(said.variables, job.outputDir, frames) : {},
    displays: succeeded ? await Promise.all(said.displays.map((one) => stored(one, job.outputDir, frames))) : [],
    ...text,
    mutationWarnings: [],
    ...(succeeded && seen ? { effects: rEffects(job.source, { ...seen, drew: said.drew }) } : {}),
    suggestInstall: suggestRInstall(`${verdict.error?.message ?? ''}\n${text.stderr}`, verdict.outcome),
    durationMs: performance.now() - began,
    executionMethod: taken.hasWaited ? 'warm' : 'cold',
    buildEnv: '',
  };
}

/** Resolves when nothing of the process is left. */
async function handOver(
  { process }: TakenR,
  order: string,
  hear: (stream: RStream, bytes: Buffer) => void,
  stop: AbortSignal,
): Promise<REnding> {
  const kill = (): void => process.kill();
  stop.addEventListener('abort', kill, { once: true });
  if (stop.aborted) kill();
  process.hear(hear);
  process.say(JSON.stringify({ job: order }));
  process.sayNoMore();
  try {
    return await process.ended;
  } finally {
    stop.removeEventListener('abort', kill);
  }
}

/** Undefined for what the harness did not write: a cell can reach the file too. */
async function readResult(file: string): Promise<z.infer<typeof resultSchema> | undefined> {
  try {
    return resultSchema.parse(parseExactly(String(await readOwnFile(file))));
  } catch {
    return undefined;
  }
}

/** Tables are turned into text beside the job: whether R has arrow is only known once it runs. */
async function orderOf(job: Job, { packages }: Ahead, frames: FrameText): Promise<object> {
  let count = 0;
  async function specOf({ contentType, file, variants }: InputFile): Promise<object> {
    const spec = { content_type: contentType, file };
    if (contentType === 'arrow/ipc') {
      const frame = path.join(job.outputDir, `input${count++}.frame`);
      await frames.toText(file, frame);
      return { ...spec, frame };
    }
    return variants ? { ...spec, variants: await mapValues(variants, specOf) } : spec;
  }
  return {
    source: job.source,
    /** Packages that its first statements attach, and do nothing else. */
    attaching: packages,
    inputs: await mapValues(job.inputs, specOf),
    env: job.env,
    wanted: [...job.wanted],
    stores_all: job.storesAll ?? false,
    work_dir: job.workDir,
    output_dir: job.outputDir,
  };
}

async function mapValues<T>(
  record: Readonly<Record<string, T>>,
  change: (value: T) => Promise<object>,
): Promise<Record<string, object>> {
  const entries: [string, object][] = [];
  for (const [name, value] of Object.entries(record)) entries.push([name, await change(value)]);
  return Object.fromEntries(entries);
}

function verdictOf(
  said: z.infer<typeof resultSchema> | undefined,
  {
    cancelled,
    late,
    ending,
    job,
  }: { cancelled: boolean; late: boolean; ending: { status: number | null; signal: string | null }; job: Job },
): { outcome: Outcome; error: CellError | null } {
  if (cancelled) return { outcome: 'cancelled', error: plain('Cancelled', 'The run was cancelled.') };
  if (late) {
    const text = `The cell did not finish within ${job.timeoutSeconds} s and was stopped. The limit was set by ${job.timeoutLever}: raise it there, or do less in one cell.`;
    return { outcome: 'timeout', error: plain('CellTimeout', text) };
  }
  if (!said) {
    const how = ending.signal === null ? `with status ${ending.status}` : `by ${ending.signal}`;
    return { outcome: 'died', error: plain('CellProcessDied', `R ended ${how} before the cell had a result.`) };
  }
  if (!said.error) return { outcome: 'success', error: null };
  const { type, message, calls } = said.error;
  const trace = calls.length === 0 ? '' : `\n${calls.map((call, index) => `${index + 1}: ${call}`).join('\n')}`;
  return {
    outcome: 'error',
    error: { error_type: type, message, traceback: [], text: `Error: ${message}${trace}` },
  };
}

const plain = (error_type: string, message: string): CellError => ({
  error_type,
  message,
  traceback: [],
  text: message,
});

const suggestRInstall = (text: string, outcome: Outcome): RunResult['suggestInstall'] => {
  const found = /there is no package called ['‘’]([A-Za-z][\w.]*)['‘’]/.exec(text)?.[1];
  return outcome === 'success' || found === undefined ? null : { package: found, language: 'r' };
};

async function storedAll(
  variables: Readonly<Record<string, RRecord>>,
  folder: string,
  frames: FrameText,
): Promise<Record<string, ValueRecord>> {
  const found: Record<string, ValueRecord> = {};
  for (const [name, one] of Object.entries(variables)) found[name] = await stored(one, folder, frames);
  return found;
}

async function stored({ frame, preview, ...one }: RRecord, folder: string, frames: FrameText): Promise<ValueRecord> {
  // A list of one: R has no other way to say a value that may be NULL.
  const shown = Array.isArray(preview) ? { preview: preview[0] } : {};
  const file = frame === undefined ? one.file : frame.replace(/\.frame$/, '.arrow');
  if (file === undefined) return { ...one, ...shown };
  const place = path.join(folder, file);
  if (frame !== undefined) {
    await checkFrame(path.join(folder, frame));
    await fs.rm(place, { recursive: true, force: true });
    await frames.fromText(path.join(folder, frame), place);
  }
  const found = await fs.lstat(place);
  // A link would have the server read what the cell could not.
  if (!found.isFile()) return { content_type: one.content_type, error: `${file} is not the file that R wrote` };
  const { size } = found;
  const image = one.content_type.startsWith('image/') && size < 4 * 1024 * 1024;
  const inline = image ? { inline_data_url: await dataUrl(place, one.content_type) } : {};
  return { ...one, ...shown, ...inline, file, bytes: size, sha256: await digestOfFile(place) };
}

/** The server reads it for the cell: links in it would lead where the cell cannot go. */
async function checkFrame(folder: string): Promise<void> {
  const isFolder = (await fs.lstat(folder)).isDirectory();
  const entries = isFolder ? await fs.readdir(folder, { withFileTypes: true }) : [];
  if (!isFolder || entries.some((entry) => !entry.isFile()))
    throw new Error(`${path.basename(folder)} is not the folder of plain files that R wrote.`);
}

const dataUrl = async (file: string, type: string): Promise<string> =>
  `data:${type};base64,${(await fs.readFile(file)).toString('base64')}`;
