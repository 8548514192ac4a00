// Which zygote takes the next cell. One is started for the first, another when it has died. When cells need modules that it
// has not loaded, a copy of it loads them and takes over; cells that need none of them go on meanwhile. An idle zygote is
// ended: a notebook that nobody runs holds no memory.

import { RuntimeUnavailable } from '../runtime.ts';
import { startFamily, type ZygoteCommand, type ZygoteFamily } from './family.ts';
import type { KnownModules } from './knownModules.ts';
import type { Zygote, ZygoteFacts } from './zygote.ts';

/** Where a job is to run. */
export interface Place {
  readonly zygote: Zygote;
  /** In an interpreter that was started afresh. */
  readonly afresh: boolean;
}

export interface Succession {
  readonly current: Zygote | undefined;
  /** For a cell that names these modules. The zygote may still be starting: it takes orders at once. */
  next(named: readonly string[]): Promise<Place>;
  /** Resolves when the zygote is ready, or has failed to start. */
  warm(): Promise<void>;
  /** Loads what the whole notebook needs, beside the cells that run. */
  prepare(): void;
  /** A run is over. */
  release(zygote: Zygote): void;
  close(): Promise<void>;
}

export interface SuccessionOptions {
  /** none: every process is started when it is needed. afresh: processes wait, and none is forked. */
  readonly waiting: 'forked' | 'afresh' | 'none';
  readonly command: () => Promise<ZygoteCommand>;
  readonly known: () => Promise<KnownModules>;
  /** The modules that cells of the notebook name. */
  readonly expected: () => readonly string[];
  readonly idleMs: number;
  /** What waiting interpreters may take together. */
  readonly spareBytes: number;
  readonly spareIdleMs: number;
  readonly log: (line: string) => void;
}

interface Growing {
  readonly zygote: Zygote;
  readonly settled: Promise<void>;
}

export function createSuccession(options: SuccessionOptions): Succession {
  const { command, known, expected, idleMs, log } = options;
  const families = new Map<Zygote, ZygoteFamily>();
  let family: ZygoteFamily | undefined;
  let current: Zygote | undefined;
  let growing: Growing | undefined;
  /** False once a zygote could not be copied: no process can be watched here. */
  let canGrow = true;
  let settled: Promise<void> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let spareIdle: NodeJS.Timeout | undefined;
  let spares = '';
  let isClosed = false;

  function refuseWhenClosed(): void {
    if (isClosed) throw new RuntimeUnavailable('This runtime was closed; open the notebook again.');
  }

  function tellReady({ python, pid, loaded }: ZygoteFacts): void {
    log(`ready, Python ${python}, process ${pid}, loaded ${loaded.map(({ name }) => name).join(', ') || 'nothing'}`);
  }

  function bury(zygote: Zygote, reason: string): void {
    families.delete(zygote);
    if (current === zygote) current = undefined;
    log(`process ${zygote.pid} is over: ${reason}`);
  }

  async function first(): Promise<Zygote> {
    if (current !== undefined) return current;
    const [how, modules] = [await command(), await known()];
    refuseWhenClosed();
    if (current !== undefined) return current;
    const { promise, resolve } = Promise.withResolvers<void>();
    const started = startFamily(how, {
      onReady(facts) {
        tellReady(facts);
        resolve();
      },
      onUnfit: (unfit) => refuse(modules, unfit),
      onLine: log,
      onEnd(reason) {
        bury(started.first, reason);
        resolve();
      },
    });
    settled = promise;
    family = started;
    spares = '';
    current = started.first;
    families.set(current, started);
    return current;
  }

  function refuse(modules: KnownModules, unfit: Parameters<KnownModules['refuse']>[0]): void {
    modules.refuse(unfit);
    void modules.save();
  }

  /** A copy of the current zygote that loads these; undefined when there cannot be one. */
  function grow(parent: Zygote, wanted: readonly string[], modules: KnownModules): Growing | undefined {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isRefused = false;
    const heir = family?.grow(parent, wanted, {
      onReady(facts) {
        tellReady(facts);
        modules.observe(wanted, facts.loaded);
        void modules.save();
        if (growing?.zygote === heir) growing = undefined;
        const previous = current;
        current = heir;
        spares = '';
        previous?.letGo();
        if (previous !== undefined) retire(previous);
        resolve();
        restWhenIdle();
        prepare();
      },
      onUnfit(unfit) {
        isRefused = true;
        refuse(modules, unfit);
      },
      onEnd(reason) {
        if (heir !== undefined) bury(heir, reason);
        if (growing?.zygote === heir) growing = undefined;
        if (heir?.facts === undefined && !isRefused) canGrow = false;
        resolve();
      },
    });
    if (heir === undefined || family === undefined) return undefined;
    families.set(heir, family);
    growing = { zygote: heir, settled: promise };
    return growing;
  }

  function missingIn(zygote: Zygote, wanted: readonly string[]): string[] {
    return canGrow ? wanted.filter((name) => !zygote.modules.has(name)) : [];
  }

  async function next(named: readonly string[]): Promise<Place> {
    clearTimeout(idle);
    for (;;) {
      refuseWhenClosed();
      const zygote = await first();
      if (options.waiting === 'none') return { zygote, afresh: false };
      const modules = await known();
      if (options.waiting === 'afresh') {
        keepSpares(zygote, modules.toFork([...named, ...expected()]), modules);
        return { zygote, afresh: false };
      }
      // What may be loaded later, while the cell runs, is waited for by nobody.
      const wanted = modules.needed(named);
      const spare = modules.toSpare(named);
      if (spare.length > 0) {
        keepSpares(zygote, spare, modules);
        return { zygote, afresh: true };
      }
      const missing = missingIn(zygote, wanted);
      if (missing.length === 0) return { zygote, afresh: false };
      if (growing === undefined) {
        const grown = grow(zygote, missing, modules);
        if (grown !== undefined) return { zygote: grown.zygote, afresh: false };
        // No pipes are left for another copy: a new family begins.
        current = undefined;
        retire(zygote);
        continue;
      }
      if (missingIn(growing.zygote, wanted).length === 0) return { zygote: growing.zygote, afresh: false };
      await growing.settled;
    }
  }

  function keepSpares(zygote: Zygote, wanted: readonly string[], modules: KnownModules): void {
    const size = modules.bytesOf(wanted);
    const places = size > options.spareBytes ? 0 : size * 2 > options.spareBytes ? 1 : 2;
    const asked = JSON.stringify([wanted, places]);
    if (asked !== spares) zygote.keepSpares(wanted, places);
    spares = asked;
    clearTimeout(spareIdle);
    spareIdle = setTimeout(() => {
      if (current === zygote) zygote.keepSpares(wanted, 0);
      spares = '';
    }, options.spareIdleMs).unref();
  }

  function prepare(): void {
    if (growing !== undefined || current === undefined || isClosed || options.waiting !== 'forked') return;
    void known().then((modules) => {
      if (growing !== undefined || current === undefined || isClosed) return;
      const missing = missingIn(current, modules.toFork(expected()));
      if (missing.length > 0) grow(current, missing, modules);
    });
  }

  function retire(zygote: Zygote): void {
    if (zygote !== current && zygote !== growing?.zygote && zygote.runCount === 0) families.get(zygote)?.retire(zygote);
  }

  function restWhenIdle(): void {
    clearTimeout(idle);
    if (current === undefined || current.runCount > 0 || isClosed) return;
    idle = setTimeout(() => {
      const resting = current;
      current = undefined;
      if (resting !== undefined) retire(resting);
    }, idleMs);
    idle.unref();
  }

  return {
    get current() {
      return current;
    },
    next,
    async warm() {
      await first();
      await settled;
    },
    prepare,
    release(zygote) {
      retire(zygote);
      restWhenIdle();
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      clearTimeout(spareIdle);
      await Promise.all([...new Set(families.values())].map((each) => each.close()));
    },
  };
}
