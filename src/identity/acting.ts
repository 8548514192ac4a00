// On whose behalf the work at hand is done, and in which notebook. Several people may work in one: what a run may reach is what
// whoever asked for it may reach, and that is asked far from the request or frame that began it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './caller.ts';

interface Acting {
  readonly caller: Caller;
  readonly notebookId: string | undefined;
  /** Whoever watches may end it; its reason is a refusal. */
  readonly stopped?: AbortSignal;
}

const acting = new AsyncLocalStorage<Acting>();

/** Does the work, and all that it begins, for this caller, and in this notebook where there is one. */
export const actAs = <T>(caller: Caller, work: () => T, notebookId?: string): T =>
  acting.run({ caller, notebookId }, work);

/** Does the work, and all that it begins, as long as nobody has stopped it. */
export function whileAllowed<T>(stopped: AbortSignal, work: () => T): T {
  const store = acting.getStore();
  return store ? acting.run({ ...store, stopped }, work) : work();
}

/** To be asked right before something is changed: what is stopped may have waited for its turn. */
export const assertAllowed = (): void => acting.getStore()?.stopped?.throwIfAborted();

/** Undefined for what nobody asked for: a file that changed, a clock. */
export const actingCaller = (): Caller | undefined => acting.getStore()?.caller;

export const actingNotebook = (): string | undefined => acting.getStore()?.notebookId;
