// Cells that are made from a table: a query of what is seen, and a chart of what was chosen. Both are there to be edited.
import type { TableFilter, TableQuery } from '../api/index.ts';

export interface Field {
  /** As it is stored. */
  readonly name: string;
  readonly type: string;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const signs: Readonly<Record<string, string>> = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' };
const searchedColumns = 20;

/** The same rows in the same order, in DuckDB's words. */
export function queryText(table: string, { sortBy, sortDir, search, filters }: TableQuery, fields: readonly Field[]) {
  const holds = [
    ...filters.map(condition),
    ...(search === ''
      ? []
      : [
          `(${fields
            .slice(0, searchedColumns)
            .map(({ name }) => contains(name, search))
            .join('\n   OR ')})`,
        ]),
  ];
  return [
    'SELECT *',
    `FROM :${table}`,
    ...(holds.length === 0 ? [] : [`WHERE ${holds.join('\n  AND ')}`]),
    ...(sortBy === null ? [] : [`ORDER BY ${quoted(sortBy)}${sortDir === 'desc' ? ' DESC' : ''} NULLS LAST`]),
  ].join('\n');
}

const contains = (name: string, value: string): string =>
  `contains(lower(${quoted(name)}::VARCHAR), lower(${literal(value)}))`;

function condition({ col, op, value = '' }: TableFilter): string {
  if (op === 'is_null' || op === 'not_null') return `${quoted(col)} IS ${op === 'is_null' ? '' : 'NOT '}NULL`;
  return op === 'contains' ? contains(col, value) : `${quoted(col)} ${signs[op] ?? '='} ${literal(value)}`;
}

type Scale = 'quantitative' | 'temporal' | 'nominal';

const scaleOf = ({ type }: Field): Scale =>
  /^(u?int|half|float|double|decimal)/.test(type)
    ? 'quantitative'
    : /^(timestamp|date)/.test(type)
      ? 'temporal'
      : 'nominal';

/** Dots and brackets would mean members of a value. */
const channel = (field: Field) => ({ field: field.name.replaceAll(/[.[\]\\]/g, '\\$&'), type: scaleOf(field) });

/** One number: how it spreads. A moment and numbers: a line. Two numbers: points. Groups: bars. */
export function chartOf(chosen: readonly Field[]): { mark: string; encoding: Record<string, object> } | null {
  const by = (scale: Scale) => chosen.filter((field) => scaleOf(field) === scale);
  const [numbers, moments, groups] = [by('quantitative'), by('temporal'), by('nominal')];
  const color = (group: Field | undefined) => (group ? { color: channel(group) } : {});
  const [number, second] = numbers;
  const [moment] = moments;
  const [group, other] = groups;
  if (moment && number) return { mark: 'line', encoding: { x: channel(moment), y: channel(number), ...color(group) } };
  if (number && second) return { mark: 'point', encoding: { x: channel(number), y: channel(second), ...color(group) } };
  if (number && group)
    return {
      mark: 'bar',
      encoding: { x: { ...channel(number), aggregate: 'mean' }, y: { ...channel(group), sort: '-x' }, ...color(other) },
    };
  if (group)
    return {
      mark: 'bar',
      encoding: { x: { aggregate: 'count' }, y: { ...channel(group), sort: '-x' }, ...color(other) },
    };
  const one = number ?? moment;
  return one ? { mark: 'bar', encoding: { x: { ...channel(one), bin: true }, y: { aggregate: 'count' } } } : null;
}

/** What a person who chose nothing most likely wants to see. */
export function likely(fields: readonly Field[]): readonly Field[] {
  const find = (scale: Scale) => fields.filter((field) => scaleOf(field) === scale);
  const [moment] = find('temporal');
  const numbers = find('quantitative');
  const [group] = find('nominal');
  if (moment && numbers[0]) return [moment, numbers[0]];
  if (numbers.length > 1) return numbers.slice(0, 2);
  return [numbers[0], group].filter((field) => field !== undefined);
}

const mostRows = 5000;
const python = (value: unknown, indent = ''): string => {
  if (typeof value !== 'object' || value === null)
    return value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);
  const inner = `${indent}    `;
  const entries = Object.entries(value);
  const isFlat = entries.every(([, one]) => typeof one !== 'object');
  const said = entries.map(([key, one]) => `${JSON.stringify(key)}: ${python(one, inner)}`);
  return isFlat ? `{${said.join(', ')}}` : `{\n${said.map((one) => `${inner}${one},\n`).join('')}${indent}}`;
};

/** How rows become what Vega-Lite reads, by what the table is in its cell: of many, some from everywhere. Names with _ are the cell's own. */
function rowsOf(table: string, source: string, names: string): string {
  if (source.startsWith('pandas'))
    return [
      `_rows = ${table}${source === 'pandas.Series' ? '.to_frame()' : ''}.reset_index()[${names}]`,
      '_count = len(_rows)',
      `_rows = _rows.iloc[:: max(1, len(_rows) // ${mostRows})]`,
      '_rows = json.loads(_rows.to_json(orient="records", date_format="iso"))',
    ].join('\n');
  if (source.startsWith('polars')) {
    const frame = source === 'polars.Series' ? `${table}.to_frame()` : table;
    return [
      `_rows = ${frame}.select(${names})`,
      '_count = len(_rows)',
      `_rows = json.loads(_rows.gather_every(max(1, len(_rows) // ${mostRows})).write_json())`,
    ].join('\n');
  }
  return [
    `_rows = ${table}.select(${names})`,
    '_count = len(_rows)',
    `_rows = _rows.take(list(range(0, len(_rows), max(1, len(_rows) // ${mostRows}))))`,
    '_rows = json.loads(json.dumps(_rows.to_pylist(), default=str))',
  ].join('\n');
}

/** A chart that counts or averages does so with the rows that it has. */
function sampled({ encoding }: { encoding: Record<string, object> }): string {
  const said = JSON.stringify(encoding);
  if (said.includes('"aggregate":"count"')) return '; it counts the sample';
  return said.includes('"aggregate":"mean"') ? '; means are of the sample' : '';
}

export function chartText(table: string, source: string, chosen: readonly Field[]): string | null {
  const chart = chartOf(chosen);
  if (!chart) return null;
  return [
    `# @name ${table}_chart`,
    'import json',
    '',
    rowsOf(table, source, JSON.stringify(chosen.map(({ name }) => name))),
    `_chart = ${python({ ...chart, width: 480, height: 260 })}`,
    'if len(_rows) < _count:',
    `    _chart["title"] = f"A sample of {len(_rows):,} of {_count:,} rows${sampled(chart)}"`,
    'display({"application/vnd.vegalite.v5+json": {**_chart, "data": {"values": _rows}}}, raw=True)',
    '',
  ].join('\n');
}

const word = /^[A-Za-z_]\w*$/;

/** What cells below call the table that a cell shows; null where it has no name. */
export function tableName(cell: { language: string; source: string; artifactUris: object }): string | null {
  if (cell.language === 'sql') return Object.keys(cell.artifactUris)[0] ?? null;
  const last = cell.source
    .split('\n')
    .findLast((line) => line.trim() !== '' && !line.startsWith('#'))
    ?.trim();
  const shown = /^display\((\w+)\)$/.exec(last ?? '')?.[1] ?? last ?? '';
  return word.test(shown) ? shown : null;
}
