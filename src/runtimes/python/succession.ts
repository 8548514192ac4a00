// Which zygote takes the next cell. One is started for the first, another when it has died. When cells need modules that it
// has not loaded, a copy of it loads them and takes over; cells that need none of them go on meanwhile. An idle zygote is
// ended: a notebook that nobody runs holds no memory.

import type { ZygoteCommand } from './family.ts';
import { rootOf } from './imports.ts';
import type { KnownModules } from './knownModules.ts';
import { createSpares, type SpareOptions } from './spares.ts';
import type { Zygote } from './zygote.ts';
import { createZygotes } from './zygotes.ts';

/** Where a job is to run. */
export interface ZygotePlace {
  readonly zygote: Zygote;
  /** In an interpreter that was started afresh. */
  readonly afresh: boolean;
}

export interface Succession {
  readonly current: Zygote | undefined;
  /** For a cell that names these modules. The zygote may still be starting: it takes orders at once. */
  next(named: readonly string[]): Promise<ZygotePlace>;
  /** A cell that names these modules may come soon: they are loaded, then what the whole notebook needs. Resolves when that is over. */
  warm(named: readonly string[]): Promise<void>;
  /** Loads what the whole notebook needs, beside the cells that run. */
  prepare(): void;
  /** A run is over. */
  release(zygote: Zygote): void;
  close(): Promise<void>;
}

export interface SuccessionOptions extends SpareOptions {
  /** none: every process is started when it is needed. afresh: processes wait, and none is forked. */
  readonly waiting: 'forked' | 'afresh' | 'none';
  readonly command: () => Promise<ZygoteCommand>;
  readonly known: () => Promise<KnownModules>;
  /** The modules that cells of the notebook name. */
  readonly expected: () => readonly string[];
  readonly idleMs: number;
  /** The same for one that no cell has come to. */
  readonly unusedMs: number;
  readonly log: (line: string) => void;
}

/** A family has pipes for a dozen copies, and cells want some for what nobody foresaw. */
const MOST_SHARES = 5;

export function createSuccession(options: SuccessionOptions): Succession {
  const { known, expected, idleMs, unusedMs } = options;
  /** What cells wait for that the copy which is under way does not load. */
  const awaited = new Set<readonly string[]>();
  let shares = 0;
  let idle: NodeJS.Timeout | undefined;
  let isUsed = false;
  const zygotes = createZygotes({
    ...options,
    onStarted() {
      isUsed = false;
      shares = 0;
      spares.forget();
    },
    onGrown() {
      spares.forget();
      restWhenIdle();
      prepare();
    },
  });
  const spares = createSpares(options, (zygote) => zygote === zygotes.current);

  async function next(named: readonly string[]): Promise<ZygotePlace> {
    clearTimeout(idle);
    for (;;) {
      zygotes.refuseWhenClosed();
      const zygote = await zygotes.first();
      isUsed = true;
      if (options.waiting === 'none') return { zygote, afresh: false };
      const modules = await known();
      if (options.waiting === 'afresh') {
        spares.keep(zygote, modules.toFork([...named, ...expected()]), modules);
        return { zygote, afresh: false };
      }
      // What may be loaded later, while the cell runs, is waited for by nobody.
      const wanted = modules.needed(named);
      const spare = modules.toSpare(named);
      if (spare.length > 0) {
        spares.keep(zygote, spare, modules);
        return { zygote, afresh: true };
      }
      const missing = zygotes.missingIn(zygote, wanted);
      if (missing.length === 0) return { zygote, afresh: false };
      const { growing } = zygotes;
      if (growing === undefined) {
        const grown = zygotes.grow(zygote, missing, modules);
        if (grown !== undefined) return { zygote: grown.zygote, afresh: false };
        // No pipes are left for another copy: a new family begins.
        zygotes.leave();
        zygotes.retire(zygote);
        continue;
      }
      if (zygotes.missingIn(growing.zygote, wanted).length === 0) return { zygote: growing.zygote, afresh: false };
      awaited.add(wanted);
      await growing.settled;
      awaited.delete(wanted);
    }
  }

  /**
   * What a copy loads next beside cells: what some cell waits for, else the next package and what belongs to those that are there.
   * Who names a module waits for the whole copy that loads it: a copy that loads everything is waited for longest by the first cells.
   */
  function nextShare(zygote: Zygote, modules: KnownModules): string[] {
    const urgent = [...awaited].map((wanted) => zygotes.missingIn(zygote, wanted)).find((names) => names.length > 0);
    if (urgent !== undefined) return urgent;
    const missing = zygotes.missingIn(zygote, modules.toFork(expected()));
    const [next] = missing;
    if (next === undefined || shares >= MOST_SHARES) return missing;
    shares += 1;
    const own = new Set(modules.needed([next]));
    const roots = new Set([...zygote.modules, next].map(rootOf));
    return missing.filter((name) => own.has(name) || roots.has(rootOf(name)));
  }

  const mayGrow = (): boolean => zygotes.growing === undefined && zygotes.current !== undefined && !zygotes.isClosed;

  function prepare(): void {
    if (!mayGrow() || options.waiting !== 'forked') return;
    void known().then((modules) => {
      const { current } = zygotes;
      if (!mayGrow() || current === undefined) return;
      const share = nextShare(current, modules);
      if (share.length > 0) zygotes.grow(current, share, modules);
    });
  }

  async function warm(named: readonly string[]): Promise<void> {
    await zygotes.first();
    restWhenIdle();
    const modules = await known();
    await zygotes.settled;
    if (options.waiting !== 'forked') return;
    await load((zygote) => zygotes.missingIn(zygote, modules.needed(named)), modules);
    await load((zygote) => nextShare(zygote, modules), modules);
    const spare = modules.toSpare(expected());
    if (spare.length > 0 && zygotes.current !== undefined) spares.keep(zygotes.current, spare, modules);
  }

  /** Once more where a module turns out to be unfit: the rest is loaded without it. */
  async function load(missing: (zygote: Zygote) => readonly string[], modules: KnownModules): Promise<void> {
    while (zygotes.current !== undefined && !zygotes.isClosed) {
      const { current, growing } = zygotes;
      if (growing !== undefined) {
        await growing.settled;
        continue;
      }
      const names = missing(current);
      const grown = names.length === 0 ? undefined : zygotes.grow(current, names, modules);
      if (grown === undefined) return;
      await grown.settled;
    }
  }

  function restWhenIdle(): void {
    clearTimeout(idle);
    const { current, isClosed } = zygotes;
    if (current === undefined || current.runCount > 0 || isClosed) return;
    idle = setTimeout(zygotes.leave, isUsed ? idleMs : Math.min(idleMs, unusedMs)).unref();
  }

  return {
    get current() {
      return zygotes.current;
    },
    next,
    warm,
    prepare,
    release(zygote) {
      zygotes.retire(zygote);
      restWhenIdle();
    },
    async close() {
      clearTimeout(idle);
      spares.close();
      await zygotes.close();
    },
  };
}
