// Runs R cells: each in an R of its own, which was started in the notebook's folder so that its library is active. Tables pass
// through Arrow where R can read it, otherwise as text that the data process converts.
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { giveTo, takeBack } from '../../files/index.ts';
import { suggestRInstall } from '../../suggestInstall.ts';
import { type CellLimits, namingLimits } from '../cellLimits.ts';
import type { ProcessEnding, ProcessStream } from '../cellProcess.ts';
import type { CellUser } from '../cellUser.ts';
import { createConsole } from '../console.ts';
import { joinCrowd } from '../crowd.ts';
import { fileName } from '../python/messages.ts';
import { mapValues, readResult, storedRecord, verdictOf, writtenRecord } from '../resultFile.ts';
import type { CellError, ConsoleEvent, InputFile, Job, RunResult, ValueRecord } from '../runtime.ts';
import { leadingPackages } from './leadingPackages.ts';
import { type RSeen, rEffects } from './rEffects.ts';
import type { Ahead, RPool, TakenR } from './rPool.ts';

export interface FrameText {
  /** Writes an Arrow stream as a folder of text. */
  toText(file: string, folder: string): Promise<void>;
  fromText(folder: string, file: string): Promise<void>;
}

export interface RRuntimeParts {
  readonly processes: Pick<RPool, 'take' | 'startAfresh' | 'limits'>;
  /** Who runs the cell; undefined: the server's own user. */
  readonly user: CellUser | undefined;
  readonly frames: FrameText;
  /** Begins to look at what is opened and changed below a folder; undefined where nobody looks. */
  readonly watch?: ((folder: string) => Promise<{ end(): Promise<Omit<RSeen, 'drew'>> }>) | undefined;
  /** How much is kept of each stream of the console; undefined: the usual. */
  readonly consoleBytes?: number | undefined;
}

const record = writtenRecord.extend({ frame: fileName.optional() });
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
  const hear = (stream: ProcessStream, bytes: Buffer): void => console.write(stream, bytes);
  const watching = await watch?.(job.workDir);
  const taken = await processes.take(ahead);
  let ending = await handOver(taken, order, hear, stop, processes.limits);
  // Somebody ended the process while it waited, and it has never heard of the job: another takes it.
  if (taken.hasWaited && !stop.aborted && existsSync(order))
    ending = await handOver(await processes.startAfresh(), order, hear, stop, processes.limits);
  if (user) await takeBack(job.outputDir);
  const seen = await watching?.end();
  const text = console.end();
  const said = await readResult(job.outputDir, resultSchema);
  const end = { isCancelled: signal.aborted, isLate: limit.aborted, ending };
  const verdict = verdictOf('R', job, { ...end, error: said && errorOf(said) });
  const succeeded = said && verdict.outcome === 'success';
  const run: RunResult = {
    ...verdict,
    variables: succeeded ? await mapValues(said.variables, (one) => stored(one, job.outputDir, frames)) : {},
    displays: succeeded ? await Promise.all(said.displays.map((one) => stored(one, job.outputDir, frames))) : [],
    ...text,
    mutationWarnings: [],
    ...(succeeded && seen ? { effects: rEffects(job.source, { ...seen, drew: said.drew }) } : {}),
    suggestInstall:
      verdict.outcome === 'success' ? null : suggestRInstall(`${verdict.error?.message ?? ''}\n${text.stderr}`),
    durationMs: performance.now() - began,
    executionMethod: taken.hasWaited ? 'warm' : 'cold',
    buildEnv: '',
  };
  return namingLimits(run, processes.limits);
}

/** Resolves when nothing of the process is left. */
async function handOver(
  { process }: TakenR,
  order: string,
  hear: (stream: ProcessStream, bytes: Buffer) => void,
  stop: AbortSignal,
  limits: CellLimits | undefined,
): Promise<ProcessEnding> {
  const leave = joinCrowd(process.pid, limits);
  const kill = (): void => process.kill();
  stop.addEventListener('abort', kill, { once: true });
  if (stop.aborted) kill();
  process.hear(hear);
  process.say(JSON.stringify({ job: order }));
  process.sayNoMore();
  try {
    return await process.ended;
  } finally {
    leave();
    stop.removeEventListener('abort', kill);
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

function errorOf({ error }: z.infer<typeof resultSchema>): CellError | null {
  if (error === null) return null;
  const { type, message, calls } = error;
  const trace = calls.length === 0 ? '' : `\n${calls.map((call, index) => `${index + 1}: ${call}`).join('\n')}`;
  return { error_type: type, message, traceback: [], text: `Error: ${message}${trace}` };
}

async function stored({ frame, ...one }: RRecord, folder: string, frames: FrameText): Promise<ValueRecord> {
  if (frame === undefined) return storedRecord(one, folder);
  const file = frame.replace(/\.frame$/, '.arrow');
  await checkFrame(path.join(folder, frame));
  await fs.rm(path.join(folder, file), { recursive: true, force: true });
  await frames.fromText(path.join(folder, frame), path.join(folder, file));
  return storedRecord({ ...one, file }, folder);
}

/** The server reads it for the cell: links in it would lead where the cell cannot go. */
async function checkFrame(folder: string): Promise<void> {
  const isFolder = (await fs.lstat(folder)).isDirectory();
  const entries = isFolder ? await fs.readdir(folder, { withFileTypes: true }) : [];
  if (!isFolder || entries.some((entry) => !entry.isFile()))
    throw new Error(`${path.basename(folder)} is not the folder of plain files that R wrote.`);
}
