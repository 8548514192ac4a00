// On whose behalf the work at hand is done. Several people may work in one notebook: what a run may reach is what whoever
// asked for it may reach, and that is asked far from the request or frame that began it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './caller.ts';

const acting = new AsyncLocalStorage<Caller>();

/** Does the work, and all that it begins, for this caller. */
export const actAs = <T>(caller: Caller, work: () => T): T => acting.run(caller, work);

/** Undefined for what nobody asked for: a file that changed, a clock. */
export const actingCaller = (): Caller | undefined => acting.getStore();
