// What the cells of an open notebook have given so far: every result that is kept, by key, and how their last runs went.
import type { RemoteRun, RunResult } from '../../runtimes/index.ts';
import type { KeptResult, Superseded, TeamOrigin } from '../run/index.ts';
import type { CellOutcome } from './host.ts';

export interface LastRun {
  readonly cacheHit: boolean;
  readonly executionMethod: string;
  /** Where it ran, when not here. */
  readonly remote?: RemoteRun | undefined;
  readonly durationMs: number;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  /** What it wrote for readers and for display. */
  readonly storedBytes: number;
  /** What its process took at most; null where nobody measured. */
  readonly peakBytes: number | null;
}

export interface RunTotals {
  readonly executionMs: number;
  readonly hits: number;
  readonly misses: number;
  /** What hits did not have to compute again. */
  readonly savedMs: number;
  /** Of what colleagues had computed. */
  readonly team: TeamTotals;
}

export interface TeamTotals {
  readonly hits: number;
  readonly savedMs: number;
  readonly contributors: readonly string[];
  readonly promotions: readonly string[];
}

export interface History {
  find(cellId: string, key: string | undefined): KeptResult | undefined;
  /** Everything that is kept of a cell. */
  all(cellId: string): Iterable<KeptResult>;
  /** Everything that is kept at all. */
  everything(): Iterable<KeptResult>;
  /** Of a part of a cell, such as one iteration of a loop. */
  remember(id: string, result: KeptResult): void;
  /** The newest result of each cell and part that has given one since this was last asked. */
  takeFresh(): readonly Superseded[];
  /** Forgets all but the newest `count` of a cell, and gives what it forgot. `isUsed`: by its key, whatever its age. */
  forgetOlder(id: string, count: number, isUsed: (key: string) => boolean): readonly Superseded[];
  lastRun(cellId: string): LastRun | undefined;
  totals(): RunTotals;
  settled(outcome: CellOutcome): void;
}

export function createHistory(kept: ReadonlyMap<string, readonly KeptResult[]>): History {
  const results = new Map([...kept].map(([id, list]) => [id, new Map(list.map((one) => [one.key, one]))]));
  const runs = new Map<string, LastRun>();
  let totals: RunTotals = { executionMs: 0, hits: 0, misses: 0, savedMs: 0, team: noTeam };
  const fresh = new Map<string, KeptResult>();

  function remember(id: string, result: KeptResult): void {
    const known = new Map(results.get(id));
    // One that is kept again is the newest.
    known.delete(result.key);
    results.set(id, known.set(result.key, result));
    fresh.set(id, result);
  }

  return {
    remember,
    *everything() {
      for (const known of results.values()) yield* known.values();
    },
    takeFresh() {
      const taken = [...fresh].map(([id, result]) => ({ id, result }));
      fresh.clear();
      return taken;
    },
    forgetOlder(id, count, isUsed) {
      const known = [...(results.get(id)?.values() ?? [])];
      const old = known.slice(0, -count).filter(({ key }) => !isUsed(key));
      for (const { key } of old) results.get(id)?.delete(key);
      return old.map((result) => ({ id, result }));
    },
    find: (cellId, key) => (key === undefined ? undefined : results.get(cellId)?.get(key)),
    all: (cellId) => results.get(cellId)?.values() ?? [],
    lastRun: (cellId) => runs.get(cellId),
    totals: () => totals,
    settled({ cellId, result, executed, cacheHit, team }) {
      if (result) remember(cellId, result);
      const before = runs.get(cellId);
      const duration = executed?.run.durationMs ?? 0;
      totals = cacheHit
        ? { ...totals, hits: totals.hits + 1, savedMs: totals.savedMs + (result?.durationMs ?? 0) }
        : { ...totals, misses: totals.misses + 1, executionMs: totals.executionMs + duration };
      if (team) totals = { ...totals, team: withHit(totals.team, team) };
      runs.set(cellId, {
        cacheHit,
        executionMethod: cacheHit ? 'cached' : (executed?.run.executionMethod ?? 'error'),
        remote: executed?.run.remote,
        durationMs: executed?.run.durationMs ?? before?.durationMs ?? 0,
        count: (before?.count ?? 0) + 1,
        endedAt: Date.now(),
        storedBytes: executed ? bytesOf(executed.run) : (before?.storedBytes ?? 0),
        peakBytes: executed?.run.peakBytes ?? before?.peakBytes ?? null,
      });
    },
  };
}

const bytesOf = ({ variables, displays }: RunResult): number =>
  [...Object.values(variables), ...displays].reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);

const noTeam: TeamTotals = { hits: 0, savedMs: 0, contributors: [], promotions: [] };

const withHit = (team: TeamTotals, { savedMs, principal, promotion }: TeamOrigin): TeamTotals => ({
  hits: team.hits + 1,
  savedMs: team.savedMs + savedMs,
  contributors: withOne(team.contributors, principal),
  promotions: withOne(team.promotions, promotion),
});

const withOne = (list: readonly string[], one: string | null): readonly string[] =>
  one === null || list.includes(one) ? list : [...list, one];
