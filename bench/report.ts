// What a person reads: one block for each line, ours first, then what it is held against with the ratio of ours to it.
// Columns have fixed widths, so that a block can be printed as soon as its line is measured.
import type { Budget, Unit } from './line.ts';
import type { Finding, LineReport } from './runner.ts';

const widths = [40, 14, 18, 8, 15] as const;

export const heading = (): string => `${row(['', 'median', 'quartiles', 'ours is', 'budget'])}\n${'─'.repeat(109)}\n`;

export function printLine({ name, unit, budget, holds, findings }: LineReport): string {
  const [ours, ...others] = findings;
  if (ours === undefined) return '';
  const verdict = holds === undefined ? '' : holds ? ' ✓ holds' : ' ✗ missed';
  const head = [name, ...figures(ours, unit), '', budget ? words(budget, unit) : ''];
  return [
    `${row(head)}${verdict}`.trimEnd(),
    ...others.map((other) => row([`  ${label(other)}`, ...figures(other, unit), ratio(ours, other), '']).trimEnd()),
    '',
  ].join('\n');
}

function row(cells: readonly string[]): string {
  return cells.map((cell, column) => pad(cell, column)).join(' ');
}

/** Figures stand right, so that their digits line up; a reason in the place of a figure may run on. */
function pad(cell: string, column: number): string {
  const width = widths[column] ?? 0;
  return column === 0 || cell.length > width ? cell.padEnd(width) : cell.padStart(width);
}

function figures({ result }: Finding, unit: Unit): [string, string] {
  if ('notMeasured' in result) return [`not measured (${result.notMeasured})`, ''];
  if ('failure' in result) return [`FAILED: ${result.failure.split('\n').slice(0, 3).join(' · ')}`, ''];
  const { median, lower, upper } = result.summary;
  return [`${figure(median)} ${unit}`, `${figure(lower)} – ${figure(upper)}`];
}

const label = ({ kind, name }: Finding): string => (kind === 'limit' ? `limit: ${name}` : name);

function ratio(ours: Finding, other: Finding): string {
  if (!('summary' in ours.result) || !('summary' in other.result)) return '';
  return `${(ours.result.summary.median / other.result.summary.median).toPrecision(2)} ×`;
}

function words(budget: Budget, unit: Unit): string {
  if ('times' in budget) return `≤ ${figure(budget.times)} × theirs`;
  return 'atMost' in budget ? `≤ ${figure(budget.atMost)} ${unit}` : `≥ ${figure(budget.atLeast)} ${unit}`;
}

/** Three digits that count; thousands apart. */
function figure(value: number): string {
  const rounded = value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString('en').replaceAll(',', ' ');
}
