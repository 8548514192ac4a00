// Runs that would bring much data here: how much is known before anything starts, so that whoever asked for the run can say
// yes to it first. A yes holds for a cell, where it runs and what it reads, as long as the notebook is open.
import type { FarInput, Weight } from '../languages/index.ts';
import type { RunMode } from './host.ts';
import type { Runner } from './runner.ts';

/** Above which a run is asked about; null never asks for that reason. */
export interface ReadLimits {
  readonly bytes: number | null;
  readonly dollars: number | null;
  /** Dollars for a gigabyte (10⁹ bytes) that is read with a credential. */
  readonly rates: Readonly<Record<string, number>>;
  /** What the operator wants to be read with the question. */
  readonly message: string | null;
}

/** What one cell would bring here, in the words of the wire. */
export interface CellRead {
  readonly cell_id: string;
  readonly machine: string;
  readonly inputs: readonly FarInput[];
  readonly bytes_to_move: number;
  readonly cost: number;
}

export interface LargeRead {
  readonly cells: readonly CellRead[];
  /** The operator's words. */
  readonly message: string | null;
  /** What a yes is remembered by. */
  readonly keys: readonly string[];
}

/** The cells that a run takes; those of `anew` are run whatever is stored. */
export interface WeighedRun {
  readonly cells: readonly string[];
  readonly anew: ReadonlySet<string>;
}

export const weighedCell = (runner: Runner, cellId: string, mode: RunMode): WeighedRun => ({
  cells: runner.stepsTo(cellId, mode),
  anew: new Set(mode === 'normal' ? [] : [cellId]),
});

export function weighedAll(runner: Runner, useCache: boolean): WeighedRun {
  const cells = runner.everyStep();
  return { cells, anew: new Set(useCache ? [] : cells) };
}

/** What a program says beforehand about large reads; saying nothing runs whatever it was asked to. */
export interface ReadConsent {
  readonly confirm: boolean;
  readonly approve: boolean;
}

export interface LargeReads {
  /** False where no limit is set: then nothing is weighed. */
  readonly isAsked: boolean;
  /** What the run would bring here beyond the limits and nobody has agreed to; null when it may start. */
  over(run: WeighedRun, signal: AbortSignal): Promise<LargeRead | null>;
  agree(read: LargeRead): void;
  /** The same for whoever cannot be asked: an approval is remembered, and only who wants to confirm is held back. */
  unconfirmed(run: WeighedRun, consent: ReadConsent, signal: AbortSignal): Promise<LargeRead | null>;
}

export interface LargeReadParts {
  readonly limits: ReadLimits;
  /** Undefined for a cell that reads nothing from far away, or of which that cannot be told. */
  readonly weigh: (cellId: string, signal: AbortSignal) => Promise<Weight | undefined>;
  readonly machineOf: (cellId: string) => string;
  /** Whether the cell's result would be found, were what it reads the one with this digest. */
  readonly wouldBeFound: (cellId: string, digest: string) => boolean;
}

/** A store that takes longer to list is not waited for: the run itself will say what is wrong with it. */
const weighingMilliseconds = 30_000;

export function createLargeReads({ limits, weigh, machineOf, wouldBeFound }: LargeReadParts): LargeReads {
  const agreed = new Set<string>();
  const isAsked = limits.bytes !== null || limits.dollars !== null;

  async function readOf(
    cellId: string,
    { anew }: WeighedRun,
    signal: AbortSignal,
  ): Promise<{ read: CellRead; key: string } | undefined> {
    const weight = await weigh(cellId, signal).catch(() => undefined);
    if (!weight || weight.far.length === 0) return undefined;
    const key = JSON.stringify([cellId, machineOf(cellId), weight.fingerprint]);
    if (agreed.has(key) || (!anew.has(cellId) && weight.digest !== null && wouldBeFound(cellId, weight.digest)))
      return undefined;
    const cost = weight.far.reduce(
      (sum, input) => sum + (toMove(input) / 1e9) * (limits.rates[input.credential ?? ''] ?? 0),
      0,
    );
    const bytes = weight.far.reduce((sum, input) => sum + toMove(input), 0);
    const read = { cell_id: cellId, machine: machineOf(cellId), inputs: weight.far, bytes_to_move: bytes, cost };
    return bytes === 0 ? undefined : { read, key };
  }

  async function over(run: WeighedRun, signal: AbortSignal): Promise<LargeRead | null> {
    if (!isAsked) return null;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(weighingMilliseconds)]);
    const weighed = await Promise.all(run.cells.map((cellId) => readOf(cellId, run, limit)));
    const found = weighed.filter((one) => one !== undefined);
    const total = (of: 'bytes_to_move' | 'cost'): number => found.reduce((sum, { read }) => sum + read[of], 0);
    const isOver =
      (limits.bytes !== null && total('bytes_to_move') > limits.bytes) ||
      (limits.dollars !== null && total('cost') > limits.dollars);
    if (!isOver) return null;
    return { cells: found.map(({ read }) => read), message: limits.message, keys: found.map(({ key }) => key) };
  }

  function agree({ keys }: LargeRead): void {
    for (const key of keys) agreed.add(key);
  }

  return {
    isAsked,
    over,
    agree,
    async unconfirmed(run, { confirm, approve }, signal) {
      const read = confirm || approve ? await over(run, signal) : null;
      if (!approve || read === null) return read;
      agree(read);
      return null;
    },
  };
}

/** The question in words, for whoever has no page to read it on. */
export function largeReadText({ cells, message }: LargeRead): string {
  const bytes = cells.reduce((sum, read) => sum + read.bytes_to_move, 0);
  const cost = cells.reduce((sum, read) => sum + read.cost, 0);
  const price = cost > 0 ? `, for about $${cost.toFixed(2)}` : '';
  const words = `The run would read ${bytes} bytes that are not here yet${price}; approve the read to run it.`;
  return message === null ? words : `${words} ${message}`;
}

/** A size that nobody told counts as nothing. */
const toMove = ({ bytes, cached_bytes }: FarInput): number => Math.max(0, (bytes ?? 0) - (cached_bytes ?? 0));
