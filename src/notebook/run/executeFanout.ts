// A fan-out: the cell runs once for each variant of a swept group, with that variant's values in place of all of them.
// Each instance is kept under its own key, so that another variant changing leaves it alone.
import { availableParallelism } from 'node:os';
import { succeededRun } from '../../runtimes/index.ts';
import type { Lane } from '../languages/index.ts';
import { labelledKey, provenanceKey } from '../provenance/index.ts';
import { type StoredValue, sweepValue } from '../state/index.ts';
import type { CellRun } from './cellRun.ts';
import { type Executed, type ExecuteParts, executeCell, type FailedRun } from './executeCell.ts';
import { lostValues } from './inputs.ts';
import { readInputs } from './keepResult.ts';
import { packagesOfAll } from './packages.ts';
import type { CellEvent, KeptParts } from './parts.ts';
import { observedFields, observedKey, type ReadFiles } from './readFiles.ts';
import type { KeptResult } from './results.ts';
import { mayTouchFiles, runSchedule } from './schedule.ts';

export interface FanoutRun extends CellRun {
  readonly group: string;
  readonly lane: Lane | undefined;
}

export async function executeFanout(
  parts: ExecuteParts & { readonly kept: KeptParts },
  cell: FanoutRun,
  onEvent: (event: CellEvent) => void,
  signal: AbortSignal,
): Promise<Executed> {
  const names = variantsOf(cell);
  const results = new Map<string, KeptResult>();
  const began = performance.now();
  let failure: FailedRun | undefined;
  await runSchedule({
    steps: names,
    waitsFor: () => [],
    atOnce: atOnceOf(cell),
    async run(variant) {
      const started = performance.now();
      const executed = await runInstance(parts, instanceOf(cell, variant), cell.useKept, onEvent, signal);
      const error = executed.result ? null : executed.problem;
      if (executed.result) results.set(variant, executed.result);
      else failure ??= failedInstance(executed, variant);
      const durationMs = performance.now() - started;
      onEvent({ type: 'variant', variant, index: names.indexOf(variant), total: names.length, durationMs, error });
      return failure === undefined;
    },
  });
  if (failure) return failure;
  const together = await keepTogether(parts, cell, names, results, performance.now() - began);
  const { stdout, stderr, durationMs } = together;
  return { run: succeededRun({ executionMethod: 'fanout', stdout, stderr, durationMs }), result: together };
}

const atOnceOf = ({ lane, source }: FanoutRun): number =>
  lane?.isApart ? lane.atOnce : mayTouchFiles(source) ? 1 : availableParallelism();

/** All variants that some input has, by name. */
const variantsOf = ({ inputs, group }: FanoutRun): string[] => {
  const names = [...inputs.values()].flatMap(({ sweep }) =>
    sweep?.group === group ? Object.keys(sweep.variants) : [],
  );
  return [...new Set(names)].sort();
};

function instanceOf(cell: FanoutRun, variant: string): CellRun {
  const inputs = new Map<string, StoredValue>();
  for (const [name, value] of cell.inputs) {
    const own = value.sweep?.group === cell.group ? value.sweep.variants[variant] : value;
    if (own) inputs.set(name, own);
  }
  const digests = new Map([...inputs].map(([name, { sha256 }]) => [name, sha256]));
  const { sourceDigest, environmentHash, outside } = cell;
  const key = provenanceKey({ sourceDigest, environmentHash, inputs: digests, outside: outside?.digest ?? null });
  return { ...cell, part: `@variant=${variant}`, key: labelledKey(key, `variant=${variant}`), inputs };
}

async function runInstance(
  parts: ExecuteParts & { readonly kept: KeptParts },
  instance: CellRun,
  useKept: boolean,
  onEvent: (event: CellEvent) => void,
  signal: AbortSignal,
): Promise<Executed> {
  const id = `${instance.cellId}${instance.part}`;
  const kept = useKept ? parts.kept.find(id, instance.key) : undefined;
  if (kept && isComplete(parts, instance, kept)) {
    const { stdout, stderr } = kept;
    return { run: succeededRun({ executionMethod: 'cached', stdout, stderr }), result: kept };
  }
  const executed = await executeCell(parts, instance, onEvent, signal);
  if (executed.result) parts.kept.remember(id, executed.result);
  return executed;
}

const isComplete = ({ store }: ExecuteParts, { wanted }: CellRun, { variables }: KeptResult): boolean =>
  wanted.every((name) => Object.hasOwn(variables, name)) && lostValues(store, Object.entries(variables)).length === 0;

function failedInstance({ run, problem }: FailedRun, variant: string): FailedRun {
  const say = (text: string): string => `Variant '${variant}' failed: ${text}`;
  const error = run.error && { ...run.error, message: say(run.error.message), text: say(run.error.text) };
  return { run: { ...run, error, executionMethod: 'fanout' }, result: null, problem: say(problem) };
}

/** The cell's own result: no bytes of its own, but every variant's values under its name. */
function keepTogether(
  { results }: ExecuteParts,
  cell: FanoutRun,
  names: readonly string[],
  found: ReadonlyMap<string, KeptResult>,
  durationMs: number,
): Promise<KeptResult> {
  const print = (stream: 'stdout' | 'stderr'): string =>
    names
      .map((name) => ({ name, text: found.get(name)?.[stream] ?? '' }))
      .filter(({ text }) => text !== '')
      .map(({ name, text }) => `[variant=${name}]\n${text}`)
      .join('\n');
  const valuesOf = (variable: string): Record<string, StoredValue> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = found.get(name)?.variables[variable];
        return value ? [[name, value] as const] : [];
      }),
    );
  const files: ReadFiles = Object.assign({}, ...names.map((name) => found.get(name)?.files ?? {}));
  // What one variant makes of settings is its own; all of them are found by what they used.
  const used = Object.assign({}, ...names.map((name) => found.get(name)?.settingsUsed ?? {}));
  const observed = { files, settings: { used, made: {} } };
  const packages = packagesOfAll(names.map((name) => found.get(name)?.packages));
  return results.keep(cell.cellId, [], () => ({
    key: observedKey(cell.key, observed),
    ...observedFields(cell.key, observed),
    sourceDigest: cell.sourceDigest,
    environmentHash: cell.environmentHash,
    variables: Object.fromEntries(cell.wanted.map((name) => [name, sweepValue(cell.group, valuesOf(name))])),
    inputs: readInputs(cell),
    displays: names.flatMap(
      (name) => found.get(name)?.displays.map((display) => ({ ...display, variant: name })) ?? [],
    ),
    stdout: print('stdout'),
    stderr: print('stderr'),
    durationMs,
    createdAt: Date.now() / 1000,
    ...(cell.storesAll ? { isWhole: true } : {}),
    source: cell.source,
    ...(packages === undefined ? {} : { packages }),
  }));
}
