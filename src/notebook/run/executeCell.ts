// One run of one cell, from its inputs in the store to its result in the store. The outside world sees either the whole
// result or none of it; the run's own folder goes afterwards in every case.
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { ArtifactStore } from '../../artifacts/index.ts';
import type { InputFile, Job, RunEvent, RunResult } from '../../runtimes/index.ts';
import type { CellRuntime, OutsideLook } from '../languages/index.ts';
import type { CellRun } from './cellRun.ts';
import { inputFiles } from './inputs.ts';
import { type KeepParts, keepResult, newArtifact, remadeType } from './keepResult.ts';
import { folderType, gatherFolders, makeFolders, rebuildFolder } from './outputFolders.ts';
import type { KeptResult } from './results.ts';
import type { RunFolders } from './runFolders.ts';
import { checkTableWrites } from './tableWrites.ts';
import type { TeamCache } from './teamCache.ts';
import type { TeamOrigin } from './teamFind.ts';
import { isForOthers } from './teamReads.ts';

export interface FailedRun {
  readonly run: RunResult;
  readonly result: null;
  readonly problem: string;
}

export interface SucceededRun {
  readonly run: RunResult;
  readonly result: KeptResult;
  /** Of a result that was not computed here. */
  readonly team?: TeamOrigin;
}

export type Executed = SucceededRun | FailedRun;

export interface ExecuteParts extends KeepParts {
  /** What runs the cell; refuses a cell that cannot run. */
  readonly engage: () => Promise<CellRuntime>;
  readonly store: ArtifactStore;
  /** Undefined where nobody else's results are asked for. */
  readonly team: TeamCache | undefined;
  /** On the file system of the store. */
  readonly folders: RunFolders;
}

export async function executeCell(
  parts: ExecuteParts,
  cell: CellRun,
  onEvent: (event: RunEvent) => void,
  signal: AbortSignal,
  keep: typeof keepResult = keepResult,
): Promise<Executed> {
  if (!existsSync(cell.workDir)) await fs.mkdir(cell.workDir, { recursive: true });
  const outputDir = await parts.folders.take();
  const team = cell.isShareable ? parts.team : undefined;
  try {
    const found = cell.useKept ? await team?.find(cell, outputDir, parts.prints, signal) : undefined;
    if (found) {
      // A result that is found writes no tables.
      const result = await keep(parts, { ...cell, tableWrites: [] }, found.run, outputDir, found.observed);
      return { run: found.run, result, team: found.origin };
    }
    checkTableWrites(parts.tableWriter, cell.tableWrites);
    const runtime = await parts.engage();
    const inputs = {
      ...(await withFolders(parts.store, cell, inputFiles(parts.store, cell.inputs), outputDir)),
      ...cell.outside?.inputs,
      ...(await makeFolders(parts.store, cell, outputDir)),
    };
    const wanted = cell.wanted.filter((name) => !cell.outputDirs.includes(name));
    const ran = await runWithOutside(runtime, { ...cell, wanted, inputs, outputDir }, cell.outside, onEvent, signal);
    if (ran.outcome !== 'success') return { run: ran, result: null, problem: ran.error?.text ?? '' };
    const run = await gatherFolders(parts.store, cell, ran, outputDir, (label, value, file) =>
      newArtifact({ ...cell, part: '' }, ran, label, value, file),
    );
    const missing = cell.wanted.filter((name) => run.variables[name]?.file === undefined);
    if (missing.length > 0) return { run, result: null, problem: unstored(missing, run) };
    const result = await keep(parts, cell, run, outputDir);
    const isRemade = Object.values(result.variables).some(({ contentType }) => contentType === remadeType);
    // Nobody else would have answered the same.
    if (isForOthers(result) && !run.effects?.asked && !isRemade)
      team?.share(cell, run, cell.keepsBytes ? withoutUnread(result, cell.wanted) : result);
    return { run, result };
  } finally {
    parts.folders.discard(outputDir);
  }
}

/** What lies far away is here while the job runs; what a successful one wrote goes back before its result is kept. */
export async function runWithOutside(
  runtime: CellRuntime,
  job: Job,
  outside: OutsideLook | undefined,
  onEvent: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<RunResult> {
  const brought = await outside?.prepare?.(signal);
  let succeeded = false;
  try {
    const run = await runtime.run({ ...job, inputs: { ...job.inputs, ...brought?.inputs } }, onEvent, signal);
    succeeded = run.outcome === 'success';
    return run;
  } finally {
    await brought?.finish(succeeded);
  }
}

/** Folders among the inputs are built anew beside the run's own files. */
async function withFolders(
  store: ArtifactStore,
  { notebookId }: CellRun,
  inputs: Record<string, InputFile>,
  outputDir: string,
): Promise<Record<string, InputFile>> {
  const all = { ...inputs };
  for (const [name, { contentType, file }] of Object.entries(inputs)) {
    if (contentType !== folderType) continue;
    const folder = path.join(outputDir, 'input_dirs', name);
    await rebuildFolder(store, notebookId, file, folder);
    all[name] = { contentType: 'file/path', file: folder };
  }
  return all;
}

/** Values that are kept for readers to come are nobody else's matter. */
const withoutUnread = (result: KeptResult, wanted: readonly string[]): KeptResult => ({
  ...result,
  variables: Object.fromEntries(Object.entries(result.variables).filter(([name]) => wanted.includes(name))),
});

function unstored(missing: readonly string[], run: RunResult): string {
  const reasons = missing.map((name) => `${name}: ${run.variables[name]?.error ?? 'it was not defined'}`);
  return `The cell ran, but what other cells read of it could not be stored (${reasons.join('; ')}).`;
}
