// One execution from its order to its bundle: inputs, environment, the run itself, what it left. While it lasts it can be
// cancelled by its id; afterwards only the bundle is there, until the caller is done with it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { writeBundle } from '../bundle/index.ts';
import { parseAnnotations } from '../notebook/annotations/index.ts';
import type { Log } from '../observability/index.ts';
import type { ConsoleEvent, InputFile, Job, RunResult } from '../runtimes/index.ts';
import { type Bring, bringInputs } from './bringInputs.ts';
import type { Seat } from './capacity.ts';
import { effectsToTell } from './effects.ts';
import type { BroughtMounts, MountWrites, WorkerMounts } from './mounts.ts';
import type { Order } from './order.ts';
import { failed, invalid } from './refused.ts';

/** What watches a run of a pulled cell: its console, and files that it has finished. */
export interface Relay {
  onConsole(event: ConsoleEvent): void;
  /** Told once the output folders are there. */
  watch(folders: Readonly<Record<string, string>>): void;
  /** Sends what is left; gives the files that need not travel in the bundle. */
  end(): Promise<Readonly<Record<string, readonly string[]>> | undefined>;
}

export interface CellRunner {
  run(order: Order, job: Job, watcher: RunWatcher, signal: AbortSignal): Promise<RunResult>;
}

export interface RunWatcher {
  onConsole(event: ConsoleEvent): void;
  /** Its environment is there: the cell itself begins. */
  onBegin(): void;
}

export interface Executions {
  /** The bundle and its size. `folder` is the caller's, to drop when the bundle was sent. */
  execute(order: Order, options: ExecuteOptions): Promise<{ readonly file: string; readonly size: number }>;
  /** Whether something by this id was there to be cancelled. */
  cancel(buildId: string): boolean;
}

export interface ExecuteOptions {
  readonly seat: Seat;
  readonly folder: string;
  readonly bring: Bring;
  readonly relay?: Relay | undefined;
  /** Ends it, beside a cancel by its id. */
  readonly signal?: AbortSignal | undefined;
  readonly onBegin?: (() => void) | undefined;
}

interface Running {
  readonly controller: AbortController;
}

export interface ExecutionsParts {
  readonly runner: CellRunner;
  readonly mounts: WorkerMounts;
  readonly hardware: () => object;
  readonly log: Pick<Log, 'info'>;
}

export function createExecutions({ runner, mounts, hardware, log }: ExecutionsParts): Executions {
  const running = new Map<string, Set<Running>>();

  function register(buildId: string): Running {
    const one = { controller: new AbortController() };
    const others = running.get(buildId) ?? new Set();
    running.set(buildId, others.add(one));
    return one;
  }

  function unregister(buildId: string, one: Running): void {
    const others = running.get(buildId);
    others?.delete(one);
    if (others?.size === 0) running.delete(buildId);
  }

  return {
    async execute(order, { seat, folder, bring, relay, signal: outer, onBegin }) {
      const own = register(order.buildId);
      const begun = performance.now();
      const { buildId, principal, job } = order;
      const cell = { build_id: buildId, cell_id: job?.cellId, ...(principal === null ? {} : { principal }) };
      let outcome: string = 'failed';
      const signal = outer ? AbortSignal.any([outer, own.controller.signal]) : own.controller.signal;
      try {
        const inputs = await bringInputs(order, path.join(folder, 'inputs'), bring, signal).catch(orCancelled(signal));
        const outputDirs = await makeOutputDirs(order.source, folder);
        const brought = await mounts.bring(order, path.join(folder, 'mounts'), signal).catch(orCancelled(signal));
        const { run, writes } = await withMounts(brought, async () => {
          const job = await jobOf(order, { ...inputs, ...brought.inputs, ...asInputs(outputDirs) }, folder, seat);
          if (signal.aborted) orCancelled(signal)(undefined);
          relay?.watch(outputDirs);
          return runner
            .run(order, job, { onConsole: (event) => relay?.onConsole(event), onBegin: () => onBegin?.() }, signal)
            .catch(orCancelled(signal))
            .finally(() => relay?.end());
        });
        ({ outcome } = run);
        checkOutcome(run);
        const file = path.join(folder, 'bundle.tar');
        const streamed = await relay?.end();
        const workDir = workFolder(folder);
        const modules = Object.keys(job?.localModules ?? {}).map((place) => path.join(workDir, place));
        const places = { folder, workDir, mounts: filesOf(brought.inputs), modules };
        const effects = run.effects && effectsToTell(run.effects, places);
        const facts = { hardware: hardware(), streamed, effects, mountBytes: brought.bytes, mountWrites: writes };
        const size = await writeBundle({ run, folder: valuesFolder(folder), outputDirs, ...facts }, file);
        return { file, size };
      } finally {
        unregister(buildId, own);
        log.info('Cell ended', { ...cell, outcome, duration_ms: Math.round(performance.now() - begun) });
      }
    },
    cancel(buildId) {
      const found = running.get(buildId);
      for (const { controller } of found ?? []) controller.abort();
      return found !== undefined;
    },
  };
}

/** What a run that did not succeed wrote to its mounts stays here, and goes. */
async function withMounts(
  brought: BroughtMounts,
  work: () => Promise<RunResult>,
): Promise<{ readonly run: RunResult; readonly writes: readonly MountWrites[] }> {
  const run = await work().catch(async (error: unknown) => {
    await brought.finish(false);
    throw error;
  });
  return { run, writes: await brought.finish(run.outcome === 'success') };
}

const valuesFolder = (folder: string): string => path.join(folder, 'values');
const workFolder = (folder: string): string => path.join(folder, 'work');
const filesOf = (inputs: Readonly<Record<string, InputFile>>): string[] =>
  Object.values(inputs).map(({ file }) => file);

/** What fails because it was cancelled before the cell began is told as that. */
const orCancelled =
  (signal: AbortSignal) =>
  (error: unknown): never => {
    throw signal.aborted ? failed(409, 'The execution was cancelled before the cell began.') : error;
  };

function checkOutcome({ outcome, error, stderr }: RunResult): void {
  const text = error?.text ?? '';
  if (outcome === 'timeout') throw failed(408, text);
  if (outcome === 'cancelled') throw failed(500, 'The execution was cancelled.');
  if (outcome === 'died') throw failed(500, stderr === '' ? text : `${text}\n${stderr}`);
}

async function makeOutputDirs(source: string, folder: string): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  for (const name of parseAnnotations(source).outputDirs) {
    made[name] = path.join(folder, 'output_dirs', name);
    await fs.mkdir(made[name], { recursive: true });
  }
  return made;
}

const asInputs = (folders: Readonly<Record<string, string>>): Record<string, InputFile> =>
  Object.fromEntries(Object.entries(folders).map(([name, file]) => [name, { contentType: 'file/path', file }]));

async function writeModules(modules: Readonly<Record<string, string>>, workDir: string): Promise<void> {
  for (const [place, text] of Object.entries(modules)) {
    const names = place.split('/');
    const isPlain = place.endsWith('.py') && names.every((name) => name !== '' && !name.startsWith('.'));
    if (!isPlain || place.includes('\0')) throw invalid(`The module ${place.slice(0, 200)} has no plain name.`);
    const file = path.join(workDir, ...names);
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(file, text);
  }
}

async function jobOf(order: Order, inputs: Job['inputs'], folder: string, { gpu }: Seat): Promise<Job> {
  const [workDir, outputDir] = [workFolder(folder), valuesFolder(folder)];
  for (const made of [workDir, outputDir]) await fs.mkdir(made, { recursive: true });
  const { job } = order;
  await writeModules(job?.localModules ?? {}, workDir);
  return {
    cellId: job?.cellId ?? 'cell',
    source: order.source,
    inputs,
    env: gpu === null ? order.env : { ...order.env, CUDA_VISIBLE_DEVICES: gpu },
    workDir,
    notebookDir: workDir,
    outputDir,
    wanted: job?.wanted ?? [],
    storesAll: job === undefined,
    mutationDefines: order.mutationDefines,
    moduleSlices: job?.moduleSlices ?? {},
    timeoutSeconds: order.timeoutSeconds,
    timeoutLever: 'whoever sent the cell',
    codec: job?.codec ?? 'cloudpickle',
    untilExpr: job?.until ?? null,
    ambient: null,
    testSource: job?.tests ?? null,
  };
}
