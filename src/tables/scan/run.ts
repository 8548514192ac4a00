// One result of a scan on its way: its row groups are read for whoever watches and, where there is a store, put together as an
// artifact. It starts when first wanted; when everyone who wanted it has gone before it is read, it stops and can start again.
import type { Artifacts, ArtifactVersion } from '../../artifacts/index.ts';
import { Refusal, refusals } from '../../errors/index.ts';
import type { Log } from '../../observability/index.ts';
import type { HeldRowGroup } from '../cache/rowGroupCache.ts';
import { type Asks, assembleStream } from '../engine.ts';
import type { Plan } from './plan.ts';
import { type RowGroups, startRowGroups } from './rowGroups.ts';

export type RunState = 'waiting' | 'running' | 'ready' | 'failed';

export interface ScanRun {
  readonly plan: Plan;
  readonly state: RunState;
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
  watch(admit: () => Promise<() => void>): Promise<Watched>;
  /** Reads and stores with nobody watching. */
  build(admit: () => Promise<() => void>): Promise<void>;
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
   * Every row was sent, all but the end of the stream: from its end on the result is there. A small one is stored before;
   * for a large one whoever asks next waits (`settling`), so that the stream need not.
   */
  sent(): Promise<void>;
  leave(): void;
}

export interface RunParts {
  readonly plan: Plan;
  readonly version: ArtifactVersion | undefined;
  readonly name: string | null;
  readonly artifacts: Artifacts | undefined;
  readonly readers: () => Asks;
  readonly read: (index: number, signal: AbortSignal) => Promise<HeldRowGroup>;
  readonly limits: { readonly parallelism: number; readonly scanTimeoutSeconds: number; readonly maxBytes: number };
  readonly log: Log;
  /** Without an outcome, it failed. */
  readonly onEnd: (outcome: { rows: number; milliseconds: number } | undefined) => void;
  /** Every row was sent; what is stored of them may not be there yet. */
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

const bytesOf = (held: readonly HeldRowGroup[]): number => held.reduce((sum, one) => sum + one.bytes, 0);

export function createRun(parts: RunParts): ScanRun {
  const { plan, artifacts, limits, log } = parts;
  let { version } = parts;
  let state: RunState = 'waiting';
  let failure: Error | undefined;
  let rowGroups: RowGroups | undefined;
  let starting: Promise<RowGroups> | undefined;
  let watchers = 0;
  /** A build was asked for, which goes on with nobody watching. */
  let wanted = false;
  let wasSent = false;
  let startedAt: number | undefined;
  let endedAt: number | undefined;
  const ended = Promise.withResolvers<void>();
  const served = Promise.withResolvers<void>();
  const createdAt = Date.now() / 1000;

  async function start(admit: () => Promise<() => void>): Promise<RowGroups> {
    const leavePlace = await admit();
    state = 'running';
    startedAt = Date.now() / 1000;
    const began = performance.now();
    let bytes = 0;
    const groups = startRowGroups(plan.tasks.length, limits.parallelism, async (index, signal) => {
      const held = await parts.read(index, signal);
      bytes += held.bytes;
      if (bytes <= limits.maxBytes) return held;
      held.release();
      parts.onAbort('size');
      throw refusals.responseGrewTooLarge(limits.maxBytes);
    });
    const timer = setTimeout(() => {
      parts.onAbort('timeout');
      groups.stop(refusals.scanTimedOut(limits.scanTimeoutSeconds));
    }, limits.scanTimeoutSeconds * 1000);
    rowGroups = groups;
    const readingOver = (): void => {
      clearTimeout(timer);
      leavePlace();
    };
    groups.all.then(readingOver, readingOver);
    void finish(groups, began);
    return groups;
  }

  async function finish(groups: RowGroups, began: number): Promise<void> {
    try {
      const held = await groups.all;
      const rows = held.reduce((sum, one) => sum + one.rows, 0);
      if (version && artifacts && !wanted) await afterWatchers(bytesOf(held));
      if (version && artifacts) version = await store(artifacts, version, held, rows);
      state = 'ready';
      parts.onEnd({ rows, milliseconds: performance.now() - began });
    } catch (error) {
      if (error instanceof Unwanted) {
        state = 'waiting';
        starting = undefined;
        rowGroups = undefined;
        await groups.release();
        return;
      }
      failure = error instanceof Error ? error : new Error(String(error));
      state = 'failed';
      if (!(failure instanceof Refusal)) log.error('A scan failed', { error, table: plan.identity });
      // Where the database cannot be reached either, the row is given up with those of servers that died.
      if (version && artifacts)
        await artifacts.versions
          .fail(version)
          .catch((problem: unknown) =>
            log.error('A failed scan was not noted', { error: problem, table: plan.identity }),
          );
      parts.onEnd(undefined);
    }
    endedAt = Date.now() / 1000;
    ended.resolve();
    giveBack();
  }

  /** Putting a large result together needs the disk and a core, which the first to be sent all rows needs too. */
  async function afterWatchers(bytes: number): Promise<void> {
    if (bytes <= smallBytes || watchers === 0) return;
    const timer = setTimeout(served.resolve, patienceMs);
    await served.promise;
    clearTimeout(timer);
  }

  async function store(
    { staging, versions }: Artifacts,
    target: ArtifactVersion,
    held: readonly HeldRowGroup[],
    rowCount: number,
  ): Promise<ArtifactVersion> {
    const file = staging.place();
    try {
      const bytes = await assembleStream(
        parts.readers(),
        { schemaMessage: plan.schemaMessage, files: held.map((one) => one.file), target: file },
        { timeoutMs: limits.scanTimeoutSeconds * 1000 },
      );
      await versions.upload(target, { file, ...bytes });
    } catch (error) {
      await staging.discard({ file });
      throw error;
    }
    const { tenant, principal } = target;
    return versions.finalize(target, {
      schema: plan.schemaText,
      rowCount,
      name: parts.name,
      actor: { tenant, principal },
    });
  }

  /** Row groups are held while anybody reads them, or the result is being put together. */
  function giveBack(): void {
    if (watchers > 0 || state === 'running') return;
    void rowGroups?.release();
    rowGroups = undefined;
    starting = undefined;
  }

  async function begin(admit: () => Promise<() => void>): Promise<RowGroups> {
    starting ??= start(admit).catch((error: unknown) => {
      starting = undefined;
      throw error;
    });
    return starting;
  }

  return {
    plan,
    createdAt,
    get state() {
      return state;
    },
    get version() {
      return version;
    },
    get failure() {
      return failure;
    },
    get startedAt() {
      return startedAt;
    },
    get endedAt() {
      return endedAt;
    },
    get settling() {
      return wasSent && state === 'running' ? ended.promise : undefined;
    },
    async watch(admit) {
      watchers += 1;
      let watching = true;
      const leave = (): void => {
        if (!watching) return;
        watching = false;
        watchers -= 1;
        if (watchers === 0) served.resolve();
        if (watchers === 0 && state === 'running' && !wanted) rowGroups?.stop(new Unwanted());
        giveBack();
      };
      try {
        const groups = await begin(admit);
        return {
          rowGroups: groups,
          rowCount: async () => plan.rowCount ?? (await groups.all).reduce((sum, held) => sum + held.rows, 0),
          async sent() {
            wasSent = true;
            parts.onSent();
            served.resolve();
            if (bytesOf(await groups.all) <= smallBytes) await ended.promise;
          },
          leave,
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
    async build(admit) {
      wanted = true;
      served.resolve();
      await begin(admit);
      await ended.promise;
    },
    async stop(reason) {
      if (state !== 'running') return;
      rowGroups?.stop(reason);
      served.resolve();
      await ended.promise;
    },
    async expire() {
      if (state !== 'waiting') return;
      state = 'failed';
      failure = refusals.streamExpired();
      parts.onEnd(undefined);
      if (version && artifacts) await artifacts.versions.fail(version);
    },
  };
}
