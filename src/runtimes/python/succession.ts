// Which zygote takes the next cell. One is started for the first, another when it has died; and when cells turn out to
// use modules that it has not loaded, a successor that has gets ready beside it, so that nobody waits for an import.
// An idle zygote is ended: a notebook that nobody runs holds no memory.

import { RuntimeUnavailable } from '../runtime.ts';
import { startZygote, type Zygote, type ZygoteCommand } from './zygote.ts';

export interface Succession {
  readonly current: Zygote | undefined;
  /** The zygote for a cell that is about to run. It may still be starting: it takes orders at once. */
  next(): Promise<Zygote>;
  /** Resolves when the zygote is ready, or has failed to start. */
  warm(): Promise<void>;
  /** A run is over. `loaded`: modules that it used and that may be loaded before a fork. */
  release(zygote: Zygote, loaded: readonly string[]): void;
  close(): Promise<void>;
}

export interface SuccessionOptions {
  /** How to start a zygote that loads these modules. */
  readonly command: (preload: readonly string[]) => Promise<ZygoteCommand>;
  readonly preload: readonly string[];
  readonly idleMs: number;
  readonly log: (line: string) => void;
}

export function createSuccession({ command, idleMs, log, ...options }: SuccessionOptions): Succession {
  const alive = new Set<Zygote>();
  let preload = options.preload;
  /** A zygote that was to load these did not come up. */
  const refused = new Set<string>();
  let current: Zygote | undefined;
  let successor: Zygote | undefined;
  let settled: Promise<void> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  function refuseWhenClosed(): void {
    if (isClosed) throw new RuntimeUnavailable('This runtime was closed; open the notebook again.');
  }

  function start(how: ZygoteCommand, onSettled: () => void): Zygote {
    const zygote = startZygote(how, {
      onReady({ python, loaded }) {
        log(`ready, Python ${python}, process ${zygote.pid}, loaded ${loaded.join(', ') || 'nothing'}`);
        onSettled();
      },
      onLine: log,
      onEnd(reason) {
        alive.delete(zygote);
        if (zygote.facts === undefined) refuse(how.preload);
        if (current === zygote) current = undefined;
        if (successor === zygote) successor = undefined;
        log(`process ${zygote.pid} is over: ${reason}`);
        onSettled();
      },
    });
    alive.add(zygote);
    return zygote;
  }

  function refuse(modules: readonly string[]): void {
    for (const module of modules) refused.add(module);
    preload = preload.filter((module) => !refused.has(module));
  }

  async function next(): Promise<Zygote> {
    clearTimeout(idle);
    refuseWhenClosed();
    if (current !== undefined) return current;
    const how = await command(preload);
    refuseWhenClosed();
    if (current === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      settled = promise;
      current = start(how, resolve);
    }
    return current;
  }

  async function learn(modules: readonly string[]): Promise<void> {
    const fresh = modules.filter((module) => !preload.includes(module) && !refused.has(module));
    if (fresh.length === 0 || successor !== undefined) return;
    preload = [...preload, ...fresh];
    const how = await command(preload);
    if (isClosed || current === undefined || successor !== undefined) return;
    const heir = start(how, () => {
      if (heir !== successor) return;
      const previous = current;
      current = heir;
      successor = undefined;
      if (previous !== undefined) retire(previous);
    });
    successor = heir;
  }

  function retire(zygote: Zygote): void {
    if (zygote !== current && zygote !== successor && zygote.runCount === 0) void zygote.close();
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
      await next();
      await settled;
    },
    release(zygote, loaded) {
      retire(zygote);
      restWhenIdle();
      if (zygote === current && zygote.facts?.fork === true) void learn(loaded);
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      await Promise.all([...alive].map((zygote) => zygote.close()));
    },
  };
}
