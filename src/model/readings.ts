// Sentences and sums that are read off the model.
import { kindOf } from '../cellLanguages.ts';
import { cellLabel, isImported } from '../cellName.ts';
import type { EnvironmentJob } from '../protocol/index.ts';
import { fileInWords, settingInWords } from '../touched.ts';
import type { CellModel, NotebookModel } from './model.ts';

export const labelOf = (model: NotebookModel, cellId: string): string => {
  const cell = model.cells.get(cellId);
  if (!cell) return cellId;
  return cellLabel(cell, model.order.indexOf(cellId));
};

/** Where the rows of a query are stored: one variable, whatever it is called by now. Null where it is no query, or has none. */
export const queryResult = ({ language, artifactUris }: CellModel): string | null =>
  language === 'sql' ? (Object.values(artifactUris)[0] ?? null) : null;

const shadowing = /^Variable '(.+)' shadows definition from cell (\S+)$/;

/** What the cell defines though a cell above does, in words. To import the same in two cells is nothing to speak of. */
export function redefinitions(model: NotebookModel, { source, shadowWarnings }: CellModel): readonly string[] {
  return shadowWarnings.flatMap((warning) => {
    const [, name = '', above = ''] = shadowing.exec(warning) ?? [];
    if (name === '') return [warning];
    if (isImported(source, name) && isImported(model.cells.get(above)?.source ?? '', name)) return [];
    const label = labelOf(model, above);
    const place = label === name ? `cell ${model.order.indexOf(above) + 1}` : label;
    return [`\`${name}\` is also defined in ${place}; later cells use this one`];
  });
}

const mutation = /^'(.+)' was mutated in place /;

/** What a run warned of, in the words of the page. */
export const warningsOf = ({ mutationWarnings, defines }: CellModel): readonly string[] =>
  mutationWarnings.flatMap((warning) => {
    const [, name] = mutation.exec(warning) ?? [];
    // `scores = scores` hands the change on: to nobody yet, as far as the run knew.
    if (name !== undefined && defines.includes(name)) return [];
    return [name === undefined ? warning : `\`${name}\` was changed here; other cells keep the original`];
  });

/** How long a cell ran until somebody stopped it; null when its last run ended by itself or its text is another now. */
export const stoppedAfter = ({ status, stoppedAfterMs, ranSource, source }: CellModel): number | null =>
  status === 'running' || ranSource !== source ? null : stoppedAfterMs;

const runnable = (cell: CellModel): boolean =>
  kindOf(cell.language) !== 'text' && cell.variantActive && cell.source.trim() !== '';

/** `prices.csv`, or `prices.csv and 2 more files`. */
function filesIn(details: readonly { readonly file?: string | undefined }[]): string {
  const [first, ...more] = details.flatMap(({ file }) => (file === undefined ? [] : fileInWords(file)));
  return more.length === 0 ? `${first}` : `${first} and ${more.length} more ${more.length === 1 ? 'file' : 'files'}`;
}

/** Why a cell is not up to date, in words; null when it is, or when it was stopped on its way there. */
export function whyStale(model: NotebookModel, cell: CellModel): string | null {
  if (stoppedAfter(cell) !== null) return null;
  if (cell.status === 'ready' || cell.status === 'running' || cell.status === 'error') return null;
  if (!runnable(cell)) return null;
  const [detail] = cell.causality?.details ?? [];
  if (detail?.type === 'env_changed') return 'the environment changed';
  if (detail?.type === 'large_read') return `it would read ${bytes(detail.bytes ?? 0)}: run it yourself to be asked`;
  if (detail?.type === 'file_changed') return `${filesIn(cell.causality?.details ?? [])} changed`;
  if (detail?.type === 'setting_changed') return `a cell above changed ${settingInWords(detail.setting ?? '')}`;
  // Values that nobody read were not kept; now somebody reads them.
  if (cell.causality?.reason === 'self')
    return detail?.unkept === true || cell.ranSource === cell.source ? 'not computed yet' : 'edited since it ran';
  if (detail?.cell_id !== undefined && detail.cell_id !== cell.id) {
    const producer = model.cells.get(detail.cell_id);
    const read = producer?.defines.filter((name) => cell.references.includes(name)) ?? [];
    // An import hardly ever changes.
    const variable = read.find((name) => !isImported(producer?.source ?? '', name)) ?? read[0];
    const place = labelOf(model, detail.cell_id);
    return variable && variable !== place ? `${variable} changed in ${place}` : `${place} changed`;
  }
  if (cell.causality?.reason === 'env') return 'the environment changed';
  if (cell.status === 'stale') return 'something above changed';
  return null;
}

/** Why a cell of a reactive notebook did not follow by itself, in words; null when it need not. */
export function whyWaiting(model: NotebookModel, cell: CellModel): string | null {
  const waits = cell.causality?.waits;
  if (!model.reactive || !waits || cell.status === 'ready' || cell.status === 'running') return null;
  switch (waits.because) {
    case 'slow':
      return `took ${duration(waits.duration_ms ?? 0)} last time`;
    case 'together':
      return `took ${duration(waits.duration_ms ?? 0)} last time, with the cells before it`;
    case 'outside':
      return outsideInWords(cell);
    case 'unknown':
      return 'it is not known what it touches';
    case 'broken':
      return 'its text is not complete';
    case 'above':
      return 'a cell above waits';
  }
}

function outsideInWords({ language, effects }: CellModel): string {
  if (language === 'prompt') return 'it asks a model';
  if (language === 'sql') return 'it asks or changes a database';
  if (effects && effects.hosts.length > 0) return `it asked ${effects.hosts[0]}`;
  if (effects && effects.programs.length > 0) return `it started ${effects.programs[0]}`;
  if (effects?.asked) return 'it asked a person';
  return 'it wrote files';
}

/** Read once for each state of the cells; typing does not change them, and every key asks. */
function onceForCells<T>(read: (cells: NotebookModel['cells']) => T): (model: NotebookModel) => T {
  const known = new WeakMap<NotebookModel['cells'], { readonly value: T }>();
  return ({ cells }) => {
    const before = known.get(cells);
    if (before) return before.value;
    const value = read(cells);
    known.set(cells, { value });
    return value;
  };
}

/** Cells that a run of everything would compute: what is there already is reused. */
const toCompute = onceForCells((cells): readonly CellModel[] =>
  [...cells.values()].filter((cell) => cell.status !== 'ready' && cell.status !== 'running' && runnable(cell)),
);

export const outdatedIds = (model: NotebookModel): readonly string[] => toCompute(model).map(({ id }) => id);

export const outdated = (model: NotebookModel): { readonly count: number; readonly estimateMs: number } => ({
  count: toCompute(model).length,
  estimateMs: toCompute(model).reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
});

const failuresAbove = onceForCells((cells): ReadonlyMap<string, string | null> => {
  const found = new Map<string, string | null>();
  function of(id: string): string | null {
    const known = found.get(id);
    if (known !== undefined) return known;
    found.set(id, null);
    for (const above of cells.get(id)?.upstream ?? []) {
      const status = cells.get(above)?.status;
      const failed = status === 'error' ? above : status === 'ready' || status === 'running' ? null : of(above);
      if (failed !== null) found.set(id, failed);
    }
    return found.get(id) ?? null;
  }
  for (const id of cells.keys()) of(id);
  return found;
});

/** The failed cell for which this one has no result of now, however often it is run. */
export const failedAbove = (model: NotebookModel, { id, status }: CellModel): string | null =>
  status === 'ready' || status === 'running' || status === 'error' ? null : (failuresAbove(model).get(id) ?? null);

export const runningCell = onceForCells((cells): CellModel | undefined => {
  for (const cell of cells.values()) if (cell.status === 'running') return cell;
  return undefined;
});

/** The first cell that runs and waits for a person: it asks, or stopped. */
export const waitingCell = onceForCells((cells): CellModel | undefined => {
  for (const cell of cells.values()) if (cell.status === 'running' && cell.question !== null) return cell;
  return undefined;
});

/** Every name that some cell defines. */
export const definedNames = onceForCells((cells): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const { defines } of cells.values()) for (const name of defines) names.add(name);
  return names;
});

/** Where a running cell is: in line, starting, or on which machine. */
export function whereInWords({ remote }: CellModel): string {
  if (!remote) return 'running';
  const { worker, isRunning, position, detail } = remote;
  if (detail !== null) return detail;
  if (isRunning) return `running on ${worker}`;
  return position === null ? `starting on ${worker}` : `waiting for ${worker}, #${position}`;
}

/** Cursors of other people in the text of a cell. */
export const othersIn = ({ cursors, presence }: NotebookModel, cellId: string): NotebookModel['cursors'] =>
  cursors.filter(({ principal, cell_id }) => cell_id === cellId && principal !== presence.you);

export function duration(milliseconds: number): string {
  if (milliseconds < 1) return '< 1 ms';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
  const seconds = Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? parted(minutes, 'min', seconds % 60, 's')
    : parted(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

const parted = (large: number, unit: string, small: number, smallUnit: string): string =>
  `${large} ${unit}${small === 0 ? '' : ` ${small} ${smallUnit}`}`;

export function ago(time: number, now: number = Date.now()): string {
  const seconds = Math.max(0, (now - time) / 1000);
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return new Date(time).toISOString().slice(0, 10);
}

/** What was at the bottom of it. */
export function whyJobFailed({ error, stderr }: Pick<EnvironmentJob, 'error' | 'stderr'>): string {
  const causes = (error ?? stderr).trim().split(/cause:|╰─▶/);
  return (causes.at(-1) ?? '').trim().replaceAll(/\s+/g, ' ');
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let [value, unit] = [count / 1024, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

/** Whether the environment is being made or changed: nothing can run meanwhile. */
export const isPreparing = ({ job }: NotebookModel): boolean => job?.status === 'running';
