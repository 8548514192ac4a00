// One result of a scan on its way: its row groups are read for whoever watches and, where there is a store, put together as an
// artifact. It starts when first wanted; when everyone who wanted it has gone before it is read, it stops and can start again.
import type { Artifacts, ArtifactVersion } from '../../artifacts/index.ts';
import { Refusal, refusals } from '../../errors/index.ts';
import type { Log } from '../../observability/index.ts';
import type { HeldRowGroup } from '../cache/rowGroupCache.ts';
import type { Asks } from '../engine.ts';
import { createMoreNames, type MoreNames } from './moreNames.ts';
import type { ScanPlan } from './plan.ts';
import { type RowGroups, startRowGroups } from './rowGroups.ts';
import { after, holdsRowGroups, isSettling, isUnwanted, newScan, type ScanEvent, type ScanPhase } from './scanState.ts';
import { storeScan } from './storeScan.ts';

/** Waits for a place; the answer gives it back. */
export type Admit = () => Promise<() => void>;

export interface ScanRun {
  readonly plan: ScanPlan;
  readonly state: ScanPhase;
  /** The stored result, or the one that is being made; undefined where there is no store. */
  readonly version: ArtifactVersion | undefined;
  readonly failure: Error | undefined;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /**
   * Watches the row groups come in; starts reading where nobody has yet. `admit` is asked for a place before, and the place
   * is given back when reading ends.
   */
  watch(admit: Admit): Promise<Watched>;
  /** Reads and stores with nobody watching. */
  build(admit: Admit): Promise<void>;
  /** The result gets this name too; false when it is being stored already, or is over. */
  readonly nameToo: MoreNames['add'];
  /** Resolves when it is over, whatever became of it. */
  readonly ended: Promise<void>;
  /** Resolves when the result of a stream that somebody has read to its end is stored; undefined where none is on its way. */
  readonly settling: Promise<void> | undefined;
  /** Nobody came for it. */
  expire(): Promise<void>;
  /** Reads no further; what is read is still stored. Resolves when that is done. */
  stop(reason: Error): Promise<void>;
}

export interface Watched {
  readonly rowGroups: RowGroups;
  /** Known at once, or when all is read. */
  rowCount(): Promise<number>;
  /**
   * Every row was sent, all but the end of the stream: from its end on the result is there. A small one is stored before, and so
   * is one that other servers may be asked for; for a large one whoever asks here next waits (`settling`), so that the stream need not.
   */
  sent(): Promise<void>;
  leave(): void;
}

export interface RunParts {
  readonly plan: ScanPlan;
  readonly version: ArtifactVersion | undefined;
  readonly name: string | null;
  readonly artifacts: Artifacts | undefined;
  /** Other servers tell of what is stored, too. */
  readonly hasPeers: boolean;
  readonly readers: () => Asks;
  readonly read: (index: number, signal: AbortSignal) => Promise<HeldRowGroup>;
  readonly limits: { readonly parallelism: number; readonly scanTimeoutSeconds: number; readonly maxBytes: number };
  readonly log: Log;
  /** Without an outcome, it failed. */
  readonly onEnd: (outcome: { rows: number; milliseconds: number } | undefined) => void;
  /** Every row was sent, and what is stored of them is still on its way. */
  readonly onSent: () => void;
  readonly onAbort: (reason: 'timeout' | 'size') => void;
}

/** Reading was stopped because nobody wanted it any more. */
class Unwanted extends Error {
  override readonly message = 'Everyone who wanted the scan has gone.';
}

/** A result of this size is put together in the time that a few packets take. */
const smallBytes = 8 * 1024 * 1024;
/** Whoever reads more slowly than this does not hold up the store. */
const patienceMs = 10_000;

const rowsOf = (held: readonly HeldRowGroup[]): number => held.reduce((sum, one) => sum + one.rows, 0);
const bytesOf = (held: readonly HeldRowGroup[]): number => held.reduce((sum, one) => sum + one.bytes, 0);

export function createRun(parts: RunParts): ScanRun {
  const { plan, artifacts, limits } = parts;
  let state = newScan(parts.version);
  /** Undefined while nobody has begun to read, and when what was read is given back. */
  let reading: Promise<RowGroups> | undefined;
  let rowGroups: RowGroups | undefined;
  const ended = Promise.withResolvers<void>();
  /** The first who watched has all rows, or nobody watches. */
  const served = Promise.withResolvers<void>();
  const createdAt = seconds();
  const moreNames = createMoreNames(parts.log);

  function happened(event: ScanEvent): void {
    state = after(state, event);
    if (event.type === 'ready' || event.type === 'failed') moreNames.close();
  }

  async function start(admit: Admit): Promise<RowGroups> {
    const leavePlace = await admit();
    happened({ type: 'started', at: seconds() });
    const groups = readWithin(parts);
    rowGroups = groups;
    groups.all.then(leavePlace, leavePlace);
    void finish(groups, performance.now());
    return groups;
  }

  async function finish(groups: RowGroups, began: number): Promise<void> {
    try {
      const held = await groups.all;
      const rowCount = rowsOf(held);
      let { version } = state;
      if (version && artifacts) {
        const canWait = !state.isBuilt && !parts.hasPeers && state.watchers > 0;
        if (canWait && bytesOf(held) > smallBytes) await untilServed(served);
        moreNames.close();
        const storing = { artifacts, version, name: parts.name, plan, held, rowCount };
        version = await storeScan(storing, parts.readers(), limits.scanTimeoutSeconds * 1000);
        await moreNames.write(artifacts, version);
      }
      happened({ type: 'ready', version, at: seconds() });
      parts.onEnd({ rows: rowCount, milliseconds: performance.now() - began });
    } catch (error) {
      if (error instanceof Unwanted) {
        happened({ type: 'unwanted' });
        reading = undefined;
        rowGroups = undefined;
        await groups.release();
        return;
      }
      happened({ type: 'failed', failure: error instanceof Error ? error : new Error(String(error)), at: seconds() });
      await noteFailure(parts, error);
      parts.onEnd(undefined);
    }
    ended.resolve();
    giveBack();
  }

  function giveBack(): void {
    if (holdsRowGroups(state)) return;
    void rowGroups?.release();
    rowGroups = undefined;
    reading = undefined;
  }

  async function begin(admit: Admit): Promise<RowGroups> {
    reading ??= start(admit).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  }

  function leave(): void {
    happened({ type: 'left' });
    if (state.watchers === 0) served.resolve();
    if (isUnwanted(state)) rowGroups?.stop(new Unwanted());
    giveBack();
  }

  return {
    plan,
    createdAt,
    get state() {
      return state.phase;
    },
    get version() {
      return state.version;
    },
    get failure() {
      return state.failure;
    },
    get startedAt() {
      return state.startedAt;
    },
    get endedAt() {
      return state.endedAt;
    },
    ended: ended.promise,
    nameToo: moreNames.add,
    get settling() {
      return isSettling(state) ? ended.promise : undefined;
    },
    async watch(admit) {
      happened({ type: 'watched' });
      const leaveOnce = once(leave);
      try {
        const groups = await begin(admit);
        return {
          rowGroups: groups,
          rowCount: async () => plan.rowCount ?? rowsOf(await groups.all),
          async sent() {
            happened({ type: 'sent' });
            // Whoever reads slowly has the last row after all is stored: nobody waits for that, and nothing ends any more.
            if (isSettling(state)) parts.onSent();
            served.resolve();
            if (parts.hasPeers || bytesOf(await groups.all) <= smallBytes) await ended.promise;
          },
          leave: leaveOnce,
        };
      } catch (error) {
        leaveOnce();
        throw error;
      }
    },
    async build(admit) {
      happened({ type: 'buildAsked' });
      served.resolve();
      await begin(admit);
      await ended.promise;
    },
    async stop(reason) {
      if (state.phase !== 'running') return;
      rowGroups?.stop(reason);
      served.resolve();
      await ended.promise;
    },
    async expire() {
      if (state.phase !== 'waiting') return;
      happened({ type: 'failed', failure: refusals.streamExpired() });
      parts.onEnd(undefined);
      ended.resolve();
      if (state.version && artifacts) await artifacts.versions.fail(state.version);
    },
  };
}

/** Putting a large result together needs the disk and a core, which the first to be sent all rows needs too. */
async function untilServed(served: PromiseWithResolvers<void>): Promise<void> {
  const timer = setTimeout(served.resolve, patienceMs);
  await served.promise;
  clearTimeout(timer);
}

const seconds = (): number => Date.now() / 1000;

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

/** Starts to read the row groups; what takes too long or grows too large is stopped. */
function readWithin({ plan, limits, read, onAbort }: RunParts): RowGroups {
  let bytes = 0;
  const groups = startRowGroups(plan.tasks.length, limits.parallelism, async (index, signal) => {
    const held = await read(index, signal);
    bytes += held.bytes;
    if (bytes <= limits.maxBytes) return held;
    held.release();
    onAbort('size');
    throw refusals.responseGrewTooLarge(limits.maxBytes);
  });
  const timer = setTimeout(() => {
    onAbort('timeout');
    groups.stop(refusals.scanTimedOut(limits.scanTimeoutSeconds));
  }, limits.scanTimeoutSeconds * 1000);
  const stopTimer = (): void => clearTimeout(timer);
  groups.all.then(stopTimer, stopTimer);
  return groups;
}

/** Where the database cannot be reached either, the row is given up with those of servers that died. */
async function noteFailure({ plan, artifacts, version, log }: RunParts, error: unknown): Promise<void> {
  if (!(error instanceof Refusal)) log.error('A scan failed', { error, table: plan.identity });
  if (!version || !artifacts) return;
  await artifacts.versions
    .fail(version)
    .catch((problem: unknown) => log.error('A failed scan was not noted', { error: problem, table: plan.identity }));
}
