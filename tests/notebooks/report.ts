// The table that says how notebooks of others fare here.
import type { CellDifference, Checked } from './check.ts';

/** Under these our own corpus has failed. */
const limits = { green: 0.95, same: 0.95 };

export interface Totals {
  readonly notebooks: number;
  /** Every cell is green that is green there. */
  readonly whole: number;
  readonly green: number;
  readonly same: number;
  readonly isEnough: boolean;
}

export function totalsOf(all: readonly Checked[]): Totals {
  const sum = (of: (one: Checked) => number): number => all.reduce((total, one) => total + of(one), 0);
  const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);
  const green = share(
    sum(({ greenHere }) => greenHere),
    sum(({ greenThere }) => greenThere),
  );
  const same = share(
    sum((one) => one.same),
    sum(({ outputs }) => outputs),
  );
  return {
    notebooks: all.length,
    whole: all.filter(({ greenHere, greenThere }) => greenHere === greenThere).length,
    green,
    same,
    isEnough: green >= limits.green && same >= limits.same,
  };
}

export function reportOf(all: readonly Checked[]): string {
  const beside = all.some(({ greenMarimo }) => greenMarimo !== undefined) ? ['marimo'] : [];
  const goesBack = all.some(({ back }) => back !== undefined) ? ['green back', 'same back'] : [];
  const head = [
    'notebook',
    'cells',
    'green there',
    'here',
    ...beside,
    'outputs',
    'same',
    ...goesBack,
    'there s',
    'here s',
    'again',
  ];
  const rows = all.map(
    ({ name, cells, greenThere, greenHere, greenMarimo, outputs, same, back, timeThere, timesHere }) => [
      name,
      ...[cells, greenThere, greenHere].map(String),
      ...beside.map(() => String(greenMarimo ?? '')),
      ...[outputs, same, ...(goesBack.length > 0 ? [back?.green ?? 0, back?.same ?? 0] : [])].map(String),
      ...[timeThere, ...timesHere].map((time) => (time / 1000).toFixed(1)),
    ],
  );
  const { notebooks, whole, green, same } = totalsOf(all);
  const sum = (of: (one: Checked) => number): number => all.reduce((total, one) => total + of(one), 0);
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  return [
    ...aligned([head, ...rows]),
    '',
    ...all.flatMap(differenceLines),
    '',
    `${whole} of ${notebooks} notebooks green; ${percent(green)} of cells green, ${percent(same)} of outputs the same.`,
    ...beside.map(
      () =>
        `After marimo's converter ${percent(sumOf(all, 'greenMarimo') / sumOf(all, 'greenThere'))} of cells are green.`,
    ),
    ...goesBack.slice(0, 1).map(() => {
      const [greenBack, sameBack] = [sum(({ back }) => back?.green ?? 0), sum(({ back }) => back?.same ?? 0)];
      const shares = [greenBack / sum((one) => one.greenThere), sameBack / sum((one) => one.outputs)].map(percent);
      return `Exported from here, in Jupyter: ${shares[0]} of cells green, ${shares[1]} of outputs the same.`;
    }),
    `Limits: ${percent(limits.green)} green, ${percent(limits.same)} the same.`,
  ].join('\n');
}

const sumOf = (all: readonly Checked[], part: 'greenMarimo' | 'greenThere'): number =>
  all.reduce((total, one) => total + (one[part] ?? 0), 0);

/** One line for each output that is not the same, with what the report of the import said about it. */
export function differenceLines({ name, problem, differences }: Checked): string[] {
  const lines = differences.map((one) => `${name} [${one.cell}] ${differenceLine(one)}`);
  return problem === undefined ? lines : [`${name}: ${problem}`, ...lines];
}

function differenceLine({ what, there, here, foretold, source }: CellDifference): string {
  const words = foretold === '' ? 'not foretold' : `foretold: ${short(foretold)}`;
  return `${what}: there ${short(there)} | here ${short(here)} | ${words} | ${short(source)}`;
}

function short(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 60)} … ${line.slice(-27)}` : line;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row.map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join('  '),
  );
}
