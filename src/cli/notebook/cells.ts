// `svc cell …`, `svc status`, `svc dag`, `svc dep`: looking at cells, changing them, running them.

import fs from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { cellLanguages, usualLanguage } from '../../cellLanguages.ts';
import type { CellView, RunView, TestView } from '../../desk/index.ts';
import type { RunMode } from '../../notebook/index.ts';
import { removeDirective, setDirective } from '../../notebook/index.ts';
import { reasonOf, UsageError } from '../failure.ts';
import { type AnswerOptions, green, onTarget, red, yellow } from './answers.ts';

const glyphs: Readonly<Record<string, string>> = { ready: '✓', error: '✗', running: '▶', stale: '~', idle: '○' };
const cellLine = ({ status, id, name }: Pick<CellView, 'status' | 'id' | 'name'>): string =>
  `${glyphs[status] ?? status} ${id}  ${name}`;

export const listCells = (directory: string | undefined, options: AnswerOptions): Promise<void> =>
  onTarget(directory, options, async ({ desk }) => {
    const cells = await desk.cells();
    return { json: cells, lines: cells.map(cellLine) };
  });

export function showCell(
  directory: string | undefined,
  cellId: string | undefined,
  options: AnswerOptions & { var?: string },
): Promise<void> {
  if ((cellId === undefined) === (options.var === undefined))
    throw new UsageError('name a cell, or a variable with --var');
  return onTarget(directory, options, async ({ desk }) => {
    const json = options.var === undefined ? await desk.cell(cellId ?? '') : await desk.variable(options.var);
    return { json, lines: [JSON.stringify(json, null, 2)] };
  });
}

export const showStatus = (directory: string | undefined, options: AnswerOptions): Promise<void> =>
  onTarget(directory, options, async ({ desk }) => {
    const cells = await desk.cells();
    const lines = cells.map((cell) => `${cellLine(cell)}${cell.staleness_reasons.length > 0 ? ' ·stale' : ''}`);
    return { json: await desk.status(), lines };
  });

export const showDag = (directory: string | undefined, options: AnswerOptions): Promise<void> =>
  onTarget(directory, options, async ({ desk }) => {
    const json = await desk.dag();
    const { edges, topological_order } = Object(json);
    const arrows = edges.map(
      (edge: Record<string, string>) => `${edge.from_cell_id} → ${edge.to_cell_id}  (${edge.variable})`,
    );
    return { json, lines: [...arrows, `topo: ${topological_order.join(' ')}`] };
  });

/** What it printed, what it shows, and how it went. */
const runLines = (
  { status, cell_id, duration_ms, cache_hit, error, stdout }: RunView,
  { outputs }: Pick<CellView, 'outputs'>,
): string[] => [
  ...(stdout === '' ? [] : [stdout.trimEnd()]),
  ...(status === 'ok' ? outputs.map(outputLine) : []),
  status === 'ok'
    ? `${green('✓')} ${cell_id} ${cache_hit ? 'cached' : `${duration_ms}ms`}`
    : `${red('✗')} ${cell_id} ${error}`,
];

const shownCharacters = 2000;

function outputLine({ content_type, preview, rows, columns }: CellView['outputs'][number]): string {
  if (content_type.startsWith('image/') || preview === null || preview === undefined) return `[${content_type}]`;
  if (rows !== null && columns !== null) return `[table: ${rows} rows of ${columns.join(', ')}]`;
  const text = typeof preview === 'string' ? preview : JSON.stringify(preview, null, 2);
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}

export function runOne(
  directory: string | undefined,
  cellId: string,
  options: AnswerOptions & { rerun?: boolean; force?: boolean },
): Promise<void> {
  if (options.rerun && options.force) throw new UsageError('--rerun and --force exclude each other');
  const mode: RunMode = options.force ? 'force' : options.rerun ? 'rerun' : 'normal';
  return onTarget(directory, options, async ({ desk }) => {
    const run = await desk.run(cellId, mode);
    return { json: run, lines: runLines(run, await desk.cell(cellId)), failed: run.status !== 'ok' };
  });
}

export function cancelCell(cellId: string, options: AnswerOptions): Promise<void> {
  if (options.server === undefined)
    throw new UsageError('only a server has cells that run: name it with --server and --session');
  return onTarget(undefined, options, async ({ desk }) => {
    const json = await desk.cancel(cellId);
    return {
      json,
      lines: [json.cancelled ? `cancelled ${cellId}` : `${cellId} was not running`],
      failed: !json.cancelled,
    };
  });
}

const outcomes: Readonly<Record<string, string>> = {
  passed: green('✓'),
  failed: red('✗'),
  error: yellow('⚠'),
  skipped: '○',
};
const testLines = ({ cases, passed, failed, errored, skipped }: TestView): string[] => [
  ...cases.flatMap(({ name, outcome, message }) => [
    `${outcomes[outcome] ?? outcome} ${name}`,
    ...(message === '' || outcome === 'skipped' ? [] : message.split('\n').map((line) => `    ${line}`)),
  ]),
  `${passed} passed, ${failed} failed, ${errored} errored, ${skipped} skipped`,
];

export const testCell = (
  directory: string | undefined,
  cellId: string,
  options: AnswerOptions & { file?: string },
): Promise<void> =>
  onTarget(directory, options, async ({ desk }) => {
    const source = options.file === undefined ? undefined : await textOf(options.file);
    const result = await desk.test(cellId, source);
    if (result.pytest_unavailable)
      throw new UsageError('pytest is not in the environment of the notebook and could not be installed');
    return { json: result, lines: testLines(result), failed: result.failed + result.errored > 0 };
  });

export interface AddOptions extends AnswerOptions {
  readonly file?: string;
  readonly code?: string;
  readonly after?: string;
  readonly language?: string;
  readonly run?: boolean;
}

export function addCell(directory: string | undefined, options: AddOptions): Promise<void> {
  if ((options.file === undefined) === (options.code === undefined))
    throw new UsageError('give the source with --file or with -c');
  const language = cellLanguages.find((one) => one === (options.language ?? usualLanguage));
  if (!language) throw new UsageError(`--language: one of ${cellLanguages.join(', ')}`);
  return onTarget(directory, options, async ({ desk, author }) => {
    const source = options.code ?? (await textOf(options.file ?? '-'));
    const added = await desk.add({ source, after: options.after ?? null, language, author });
    if (!options.run) return { json: added, lines: [cellLine(added)] };
    const run = await desk.run(added.id, 'normal');
    const cell = await desk.cell(added.id);
    return { json: { ...cell, run }, lines: runLines(run, cell), failed: run.status !== 'ok' };
  });
}

export const editCell = (
  directory: string | undefined,
  cellId: string,
  options: AnswerOptions & { file: string },
): Promise<void> =>
  onTarget(directory, options, async ({ desk, author }) => {
    const cell = await desk.edit(cellId, await textOf(options.file), author);
    return { json: cell, lines: [cellLine(cell)] };
  });

export const removeCell = (directory: string | undefined, cellId: string, options: AnswerOptions): Promise<void> =>
  onTarget(directory, options, async ({ desk }) => ({ json: await desk.remove(cellId), lines: [`removed ${cellId}`] }));

export const moveCell = (
  directory: string | undefined,
  cellId: string,
  options: AnswerOptions & { to: string },
): Promise<void> =>
  onTarget(directory, options, async ({ desk }) => {
    const index = Number(options.to);
    if (!Number.isInteger(index) || index < 0) throw new UsageError('--to: a place counted from 0');
    const cells = await desk.move(cellId, index);
    return { json: cells, lines: cells.map(cellLine) };
  });

export function annotateCell(
  directory: string | undefined,
  cellId: string,
  options: AnswerOptions & { set: readonly string[]; unset: readonly string[] },
): Promise<void> {
  if (options.set.length + options.unset.length === 0)
    throw new UsageError('give at least one --set KEY=VALUE or --unset KEY');
  const pairs = options.set.map((pair) => {
    const [, key, value] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined || value === undefined) throw new UsageError(`--set: KEY=VALUE, not ${pair}`);
    return { key, value };
  });
  const wrong = options.unset.find((key) => !/^\w+$/.test(key));
  if (wrong !== undefined) throw new UsageError(`--unset: letters, digits and underscores, not ${wrong}`);
  return onTarget(directory, options, async ({ desk, author }) => {
    let { source } = await desk.cell(cellId);
    for (const { key, value } of pairs) source = directiveSet(source, key, value);
    for (const key of options.unset) source = removeDirective(source, key);
    const cell = await desk.edit(cellId, source, author);
    return { json: cell, lines: [cellLine(cell)] };
  });
}

function directiveSet(source: string, key: string, value: string): string {
  try {
    return setDirective(source, key, value);
  } catch (error) {
    throw new UsageError(`--set: ${reasonOf(error)}`);
  }
}

export const changeDependency = (
  action: 'add' | 'remove',
  directory: string | undefined,
  name: string,
  options: AnswerOptions,
): Promise<void> =>
  onTarget(directory, options, async ({ desk }) => {
    const json = await desk.dependency(action, name);
    return {
      json,
      lines: [json.success ? `${action === 'add' ? 'added' : 'removed'} ${name}` : `${name}: ${json.error}`],
      failed: !json.success,
    };
  });

const textOf = (file: string): Promise<string> =>
  file === '-'
    ? readStream(process.stdin)
    : fs.readFile(file, 'utf8').catch((error: unknown) => {
        throw new UsageError(`${file} cannot be read: ${reasonOf(error)}`);
      });
