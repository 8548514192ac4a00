// One notebook, there and here: which cells are green, which outputs are the same, how long it took.
import { compareOutputs, type Difference } from './compare.ts';
import type { ForeignFile } from './corpus.ts';
import type { Here, RanHere } from './runHere.ts';
import { greenInMarimo } from './runMarimo.ts';
import type { There } from './runThere.ts';
import { outputsHere, outputsThere } from './shown.ts';

export interface Checked {
  readonly name: string;
  readonly cells: number;
  readonly greenThere: number;
  /** Of those that are green there. */
  readonly greenHere: number;
  /** The same after marimo's converter, where that was asked for. */
  readonly greenMarimo?: number;
  /** Of the notebook that is exported from here, in Jupyter: green cells, and outputs that are those of before. */
  readonly back?: { readonly green: number; readonly same: number };
  readonly outputs: number;
  readonly same: number;
  /** Milliseconds: there each run begins with nothing; here the first does. */
  readonly timeThere: number;
  readonly timesHere: readonly [number, number];
  readonly differences: readonly CellDifference[];
  /** Why it could not be run here at all. */
  readonly problem?: string;
}

export interface CellDifference extends Difference {
  /** Which code cell, from 0. */
  readonly cell: number;
  readonly source: string;
  /** What the report of the import said about it or about a cell that it reads from; empty when nothing. */
  readonly foretold: string;
}

export async function check(
  { name, jupyter, cells }: ForeignFile,
  files: string | undefined,
  sides: {
    readonly there: There;
    readonly here: Here;
    readonly marimo?: string | undefined;
    readonly goesBack?: boolean;
  },
): Promise<Checked> {
  const there = await sides.there.run(jupyter, files);
  let problem: string | undefined;
  const ran = await sides.here.run(name, jupyter, files).catch((error: unknown): RanHere => {
    problem = String(error);
    return { cells: [], exported: { cells: [] }, first: 0, second: 0 };
  });
  const gone = sides.goesBack ? await sides.there.run(ran.exported, files) : undefined;
  const inMarimo = sides.marimo === undefined ? undefined : await greenInMarimo(sides.marimo, jupyter, files);
  const differences: CellDifference[] = [];
  let [greenThere, greenHere, greenMarimo, outputs] = [0, 0, 0, 0];
  const back = { green: 0, same: 0 };
  for (const [at, { source, mayRaise }] of cells.entries()) {
    const own = ran.cells[at];
    const left = outputsThere(there.cells[at] ?? []);
    const right = own === undefined ? nothing : outputsHere(own.record);
    const isGreenThere = left.error === null || mayRaise;
    const isGreenHere = own !== undefined && (own.status === 'ok' || (mayRaise && own.status === 'error'));
    if (isGreenThere) greenThere += 1;
    if (isGreenThere && isGreenHere) greenHere += 1;
    if (isGreenThere && inMarimo?.[at] !== undefined && (inMarimo[at] || mayRaise)) greenMarimo += 1;
    const again = outputsThere(gone?.cells[at] ?? []);
    if (isGreenThere && (again.error === null || mayRaise)) back.green += 1;
    const compared = compareOutputs(left, right);
    const comparedAgain = compareOutputs(left, again);
    back.same += comparedAgain.all - comparedAgain.differences.length;
    outputs += compared.all;
    const foretold = own === undefined ? '' : foretoldIn(own, ran);
    for (const difference of compared.differences) differences.push({ ...difference, cell: at, source, foretold });
  }
  return {
    name,
    cells: cells.length,
    greenThere,
    greenHere,
    ...(inMarimo === undefined ? {} : { greenMarimo }),
    ...(gone === undefined ? {} : { back }),
    outputs,
    same: outputs - differences.length,
    timeThere: there.took,
    timesHere: [ran.first, ran.second],
    differences,
    ...(problem === undefined ? {} : { problem }),
  };
}

const nothing = { stdout: '', stderr: '', shown: [], error: null };

function foretoldIn(cell: RanHere['cells'][number], { cells }: RanHere): string {
  const above = cells.filter(({ record }) => cell.record.upstream_ids.includes(record.id));
  const lost = above.flatMap(({ foretold }) => foretold.filter((text) => /^(dropped|commented|differs)/.test(text)));
  // That a change is handed on foretells nothing bad.
  return [...cell.foretold, ...lost]
    .filter((text) => !/^translated ((.+) = \2|\w+\.__globals__.*)$/.test(text))
    .join('; ');
}
