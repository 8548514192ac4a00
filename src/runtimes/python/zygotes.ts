// The zygotes of a notebook: the first, started when a cell needs one or the one before has died, and copies of it that load more
// and take over.
import { RuntimeUnavailable } from '../runtime.ts';
import { startFamily, type ZygoteCommand, type ZygoteFamily } from './family.ts';
import type { KnownModules } from './knownModules.ts';
import type { Zygote, ZygoteFacts } from './zygote.ts';

export interface Zygotes {
  /** Who takes the next cell; undefined where none is started. */
  readonly current: Zygote | undefined;
  readonly growing: Growing | undefined;
  readonly isClosed: boolean;
  /** The current one, started where there is none. */
  first(): Promise<Zygote>;
  /** Resolves when the first one is ready, or has failed to start. */
  readonly settled: Promise<void>;
  /** A copy of the current zygote that loads these; undefined when there cannot be one. */
  grow(parent: Zygote, wanted: readonly string[], modules: KnownModules): Growing | undefined;
  /** What it would have to load; nothing where none can be copied. */
  missingIn(zygote: Zygote, wanted: readonly string[]): string[];
  /** Ends one in which nothing runs, unless it takes cells to come. */
  retire(zygote: Zygote): void;
  /** The current one takes no cells any more. */
  leave(): void;
  refuseWhenClosed(): void;
  close(): Promise<void>;
}

export interface Growing {
  readonly zygote: Zygote;
  readonly settled: Promise<void>;
}

export interface ZygotesOptions {
  readonly command: () => Promise<ZygoteCommand>;
  readonly known: () => Promise<KnownModules>;
  readonly log: (line: string) => void;
  readonly onStarted: () => void;
  /** A copy has taken over. */
  readonly onGrown: () => void;
}

export function createZygotes({ command, known, log, onStarted, onGrown }: ZygotesOptions): Zygotes {
  const families = new Map<Zygote, ZygoteFamily>();
  let family: ZygoteFamily | undefined;
  let current: Zygote | undefined;
  let growing: Growing | undefined;
  /** False once a zygote could not be copied: no process can be watched here. */
  let canGrow = true;
  let settled: Promise<void> = Promise.resolve();
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
    current = started.first;
    families.set(current, started);
    onStarted();
    return current;
  }

  function refuse(modules: KnownModules, unfit: Parameters<KnownModules['refuse']>[0]): void {
    modules.refuse(unfit);
    void modules.save();
  }

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
        previous?.letGo();
        if (previous !== undefined) retire(previous);
        resolve();
        onGrown();
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
    // A package came with whatever lies in it.
    const isThere = (name: string): boolean =>
      zygote.modules.has(name) || [...zygote.modules].some((module) => module.startsWith(`${name}.`));
    return canGrow ? wanted.filter((name) => !isThere(name)) : [];
  }

  function retire(zygote: Zygote): void {
    if (zygote !== current && zygote !== growing?.zygote && zygote.runCount === 0) families.get(zygote)?.retire(zygote);
  }

  return {
    get current() {
      return current;
    },
    get growing() {
      return growing;
    },
    get isClosed() {
      return isClosed;
    },
    get settled() {
      return settled;
    },
    first,
    grow,
    missingIn,
    retire,
    refuseWhenClosed,
    leave() {
      const left = current;
      current = undefined;
      if (left !== undefined) retire(left);
    },
    async close() {
      isClosed = true;
      await Promise.all([...new Set(families.values())].map((each) => each.close()));
    },
  };
}
