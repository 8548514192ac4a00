// Compares what a cell showed there and here. Lenient where the same is said in other words (a table as rows instead of markup, JSON
// instead of Python's notation, 7 digits of 17); strict in everything else.

import { htmlTables, plainHtml, sameNumber, sameText, sameValue } from './sameness.ts';
import type { Outputs, Shown } from './shown.ts';

export interface Difference {
  readonly what: 'stdout' | 'stderr' | 'error' | Shown['kind'];
  readonly there: string;
  readonly here: string;
}

export interface Comparison {
  /** How many outputs there are, on either side. */
  readonly all: number;
  readonly differences: readonly Difference[];
}

export function compareOutputs(there: Outputs, here: Outputs): Comparison {
  const differences: Difference[] = [];
  let all = 0;
  for (const stream of ['stdout', 'stderr'] as const) {
    if (there[stream] === '' && here[stream] === '') continue;
    all += 1;
    if (!sameText(there[stream], here[stream]))
      differences.push({ what: stream, there: there[stream], here: here[stream] });
  }
  if (there.error !== null || here.error !== null) {
    all += 1;
    if (there.error === null || here.error === null || !sameError(there.error, here.error))
      differences.push({ what: 'error', there: there.error ?? '', here: here.error ?? '' });
  }
  // Pictures come when the cell is over there, and in their place here: they are counted apart from the rest.
  for (const isOfKind of [isPicture, (shown: Shown) => !isPicture(shown)]) {
    const [left, right] = [there.shown.filter(isOfKind), here.shown.filter(isOfKind)];
    for (let at = 0; at < Math.max(left.length, right.length); at++) {
      const [one, other] = [left[at], right[at]];
      all += 1;
      if (one === undefined || other === undefined || !sameShown(one, other))
        differences.push({ what: (one ?? other)?.kind ?? 'text', there: told(one), here: told(other) });
    }
  }
  return { all, differences };
}

const isPicture = ({ kind }: Shown): boolean => kind === 'picture';

/** The name, and the words where both have some. */
function sameError(there: string, here: string): boolean {
  const parts = (text: string): [string, string] => {
    const [name = '', ...words] = text.split(':');
    return [name.split('.').at(-1) ?? '', words.join(':').trim()];
  };
  const [[name, words], [otherName, otherWords]] = [parts(there), parts(here)];
  return name === otherName && sameText(words, otherWords.split('\n')[0] ?? '');
}

export function told(shown: Shown | undefined): string {
  if (shown === undefined) return '(nothing)';
  if (shown.kind === 'picture') return `picture ${shown.width} × ${shown.height}`;
  if (shown.kind === 'table') return `table ${JSON.stringify([shown.columns, ...shown.rows.slice(0, 3)])}`;
  return `${shown.kind} ${shown.text}`;
}

function sameShown(there: Shown, here: Shown): boolean {
  if (there.kind === 'picture' && here.kind === 'picture') return sameSize(there, here);
  if (there.kind === 'picture' || here.kind === 'picture' || there.kind === 'table') return false;
  if (here.kind === 'table')
    return there.kind === 'html' ? sameTable(there.text, here) : there.kind === 'text' && sameSeries(there.text, here);
  if (there.kind !== here.kind) return false;
  if (there.kind === 'chart') return sameChart(there.text, here.text);
  if (there.kind === 'html') return sameText(plainHtml(there.text), plainHtml(here.text));
  if (there.kind === 'text') return sameValue(there.text, here.text);
  return sameText(there.text, here.text);
}

type Picture = Extract<Shown, { kind: 'picture' }>;
type Table = Extract<Shown, { kind: 'table' }>;

/** Jupyter draws at another density and cuts margins: the shape counts, within a fifth. */
function sameSize(there: Picture, here: Picture): boolean {
  const ratio = (one: Picture): number => one.width / Math.max(1, one.height);
  return Math.abs(Math.log(ratio(there) / ratio(here))) < 0.2;
}

const rowsCompared = 5;

/** Data stand in `td`, the index in `th`; here the columns of the index come last. */
function sameTable(html: string, { rows }: Table): boolean {
  const [table] = htmlTables(html);
  if (table === undefined) return false;
  return table.body.slice(0, Math.min(rowsCompared, rows.length)).every((cells, at) => {
    const cut = cells.indexOf('...');
    const shown = cut === -1 ? cells : cells.slice(0, cut);
    return shown.every((cell, column) => sameCell(cell, rows[at]?.[column]));
  });
}

/** A series is text there: an index, its value. */
function sameSeries(text: string, { rows }: Table): boolean {
  const lines = text.split('\n').filter((line) => !/^(Name|Length|Freq|dtype|Categories)\b.*:|^Categories/.test(line));
  const values = lines.slice(Math.max(0, lines.length - (text.includes('...') ? lines.length : rows.length)));
  return rows.slice(0, rowsCompared).every(([value], at) => {
    const line = (values[at] ?? '').trimEnd();
    const last = line.split(/\s{2,}/).at(-1) ?? '';
    return sameCell(last, value) || line.endsWith(typeof value === 'object' ? JSON.stringify(value) : String(value));
  });
}

function sameCell(shown: string, value: unknown): boolean {
  if (value === null || value === undefined || value === '') return /^(NaN|None|NaT|<NA>|)$/.test(shown);
  if (typeof value === 'number') return sameNumber(shown, value);
  const words = typeof value === 'string' ? value : JSON.stringify(value);
  if (shown.endsWith('...')) return words.startsWith(shown.slice(0, -3));
  const moment = words
    .replace('T', ' ')
    .replace(/ 00:00:00(\.0+)?$/, '')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
  return sameText(shown, words) || shown === moment || sameNumber(shown, Number(words)) || sameValue(shown, words);
}

/** The traces, with numbers in whatever form. */
function sameChart(there: string, here: string): boolean {
  const count = (text: string): number => (JSON.parse(text) as { data?: unknown[] }).data?.length ?? -1;
  return count(there) === count(here);
}
