// A loop: the cell runs again and again in fresh processes, each with what the one before carried, until its condition
// holds or the iterations are used up. Every step is kept; a loop that was cut short goes on where it stopped.
import { link } from 'node:fs/promises';
import path from 'node:path';
import type { RunResult, ValueRecord } from '../../runtimes/index.ts';
import type { LoopAnnotation } from '../annotations/index.ts';
import { CellRefused } from '../languages/index.ts';
import { labelledKey, provenanceKey } from '../provenance/index.ts';
import type { StoredValue } from '../state/index.ts';
import type { CellRun } from './cellRun.ts';
import { type Executed, type ExecuteParts, executeCell } from './executeCell.ts';
import { lostValues } from './inputs.ts';
import { keepResult } from './keepResult.ts';
import { packagesOfAll } from './packages.ts';
import type { CellEvent, KeptParts } from './parts.ts';
import type { ReadFiles } from './readFiles.ts';
import type { KeptResult } from './results.ts';

export interface LoopRun extends CellRun {
  readonly loop: LoopAnnotation;
  /** Of the source alone: more iterations of the same code take up the ones that are kept. */
  readonly bodyDigest: string;
}

export async function executeLoop(
  parts: ExecuteParts & { readonly kept: KeptParts },
  cell: LoopRun,
  onEvent: (event: CellEvent) => void,
  signal: AbortSignal,
): Promise<Executed> {
  const { maxIter, carry } = cell.loop;
  const began = performance.now();
  const steps: StoredValue[] = [];
  const printed = { stdout: '', stderr: '' };
  let files: ReadFiles = {};
  const packages: (string | undefined)[] = [];
  let carried = seedOf(cell);
  let folders: ReadonlyMap<string, StoredValue> = new Map();
  for (let iteration = 0; ; iteration += 1) {
    const key = stepKey(cell, iteration, carried, folders);
    const isLast = iteration === maxIter - 1;
    const kept = cell.useKept && !isLast ? keptStep(parts, cell, iteration, key) : undefined;
    const executed = kept ? undefined : await runStep(iteration, key, isLast, { carried, folders });
    if (executed && !executed.result) return failedStep(executed, iteration, printed);
    const result = kept ?? executed?.result;
    const value = result?.iterations?.at(-1) ?? result?.variables[carry];
    if (!result || !value) throw new Error(`Iteration ${iteration} ended without what it carries.`);
    carried = value;
    folders = foldersIn(cell, result);
    if (kept) steps.push(value);
    if (kept) packages.push(kept.packages);
    const untilReached = result.untilReached ?? false;
    const durationMs = performance.now() - began;
    onEvent({ type: 'iteration', iteration, maxIter, value, untilReached, durationMs });
    if (executed && (isLast || untilReached)) {
      return { run: { ...executed.run, ...printed, durationMs, executionMethod: 'loop' }, result };
    }
  }

  /** Runs one iteration. The last one gives the cell's own result as well. */
  function runStep(iteration: number, key: string, isLast: boolean, from: LoopState): Promise<Executed> {
    const step: CellRun = {
      ...cell,
      key,
      part: partOf(iteration),
      inputs: new Map(cell.inputs).set(carry, from.carried),
      folders: from.folders,
      wanted: [...new Set([...cell.wanted, carry, ...cell.outputDirs])],
      mutationDefines: [...cell.mutationDefines, carry],
      untilExpr: cell.loop.untilExpr,
    };
    return executeCell(parts, step, onEvent, signal, async (_parts, _step, run, folder) => {
      printed.stdout += run.stdout;
      printed.stderr += run.stderr;
      const untilReached = run.untilReached ?? false;
      const isFinal = isLast || untilReached;
      const own = { ...run, displays: [] };
      const handed = [carry, ...cell.outputDirs];
      // Moved into the store as the step's, and once more as the cell's.
      const twins = isFinal ? await twinsOf(run.variables, handed, folder) : {};
      const result = await keepResult(parts, { ...step, wanted: [carry, ...cell.outputDirs] }, own, folder, {
        untilReached,
      });
      parts.kept.remember(`${cell.cellId}${step.part}`, result);
      files = { ...files, ...result.files };
      packages.push(result.packages);
      const value = result.variables[carry];
      if (value) steps.push(value);
      if (!isFinal) return result;
      const variables = { ...run.variables, ...twins };
      return keepResult(parts, { ...step, key: cell.key, part: '' }, { ...run, variables }, folder, {
        ...printed,
        durationMs: performance.now() - began,
        iterations: steps,
        untilReached,
        files,
        packages: packagesOfAll(packages),
      });
    });
  }
}

/** The same values under other file names. */
async function twinsOf(
  variables: RunResult['variables'],
  names: readonly string[],
  folder: string,
): Promise<RunResult['variables']> {
  const twins: Record<string, ValueRecord> = {};
  for (const name of names) {
    const record = variables[name];
    if (record?.file === undefined) continue;
    const file = `final-${record.file}`;
    await link(path.join(folder, record.file), path.join(folder, file));
    twins[name] = { ...record, file };
  }
  return twins;
}

/** What one iteration hands to the next. */
interface LoopState {
  readonly carried: StoredValue;
  readonly folders: ReadonlyMap<string, StoredValue>;
}

const foldersIn = ({ outputDirs }: LoopRun, { variables }: KeptResult): ReadonlyMap<string, StoredValue> =>
  new Map(outputDirs.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])));

function seedOf({ inputs, loop }: LoopRun): StoredValue {
  const seed = inputs.get(loop.carry);
  if (seed) return seed;
  const from = loop.startFromCell;
  throw new CellRefused(
    'LoopSeedMissing',
    from === null
      ? `Nothing gives the loop its first ${loop.carry}: define it in an earlier cell, or start from another loop with start_from=<cell>@iter=<n>.`
      : `Iteration ${loop.startFromIter} of cell ${from} is not there: run that loop first, or name an iteration that it reached.`,
  );
}

/** A step that is still true. The one whose condition held is run again: the cell's own result comes from it. */
function keptStep(
  { kept, store }: ExecuteParts & { readonly kept: KeptParts },
  { cellId }: LoopRun,
  iteration: number,
  key: string,
): KeptResult | undefined {
  const found = kept.find(`${cellId}${partOf(iteration)}`, key);
  if (!found || found.untilReached) return undefined;
  return lostValues(store, Object.entries(found.variables)).length === 0 ? found : undefined;
}

const partOf = (iteration: number): string => `@iter=${iteration}`;

function stepKey(cell: LoopRun, iteration: number, carried: StoredValue, folders: LoopState['folders']): string {
  const others = [...cell.inputs].filter(([name]) => name !== cell.loop.carry);
  const inputs = new Map(others.map(([name, { sha256 }]) => [name, sha256]));
  const { bodyDigest: sourceDigest, environmentHash, outside } = cell;
  const base = provenanceKey({ sourceDigest, environmentHash, inputs, outside: outside?.digest ?? null });
  const before = [carried, ...folders.values()].map(({ sha256 }) => sha256).join(':');
  return labelledKey(labelledKey(base, `${cell.loop.untilExpr}:${before}`), `iter=${iteration}`);
}

function failedStep(executed: Executed, iteration: number, printed: { stdout: string; stderr: string }): Executed {
  const { run } = executed;
  if (executed.result) return executed;
  const say = (text: string): string => `Iteration ${iteration} of the loop failed: ${text}`;
  const error = run.error && { ...run.error, message: say(run.error.message), text: say(run.error.text) };
  const stdout = printed.stdout + run.stdout;
  const stderr = printed.stderr + run.stderr;
  return {
    run: { ...run, error, stdout, stderr, executionMethod: 'loop' },
    result: null,
    problem: say(executed.problem),
  };
}
