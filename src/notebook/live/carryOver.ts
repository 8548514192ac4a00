// Packages are others: the results of cells that could not notice it are what the cells would give now, too, and are kept once
// more, under the keys that they have now.
import { type KeptResult, observedKey, type Results } from '../run/index.ts';
import { currentKey, resultUnder, type SessionState } from '../state/index.ts';
import type { Current } from './current.ts';
import type { History } from './history.ts';
import type { CouldNotice } from './live.ts';

export interface CarryParts {
  readonly current: Pick<Current, 'session' | 'apply'>;
  readonly history: Pick<History, 'find' | 'remember'>;
  readonly results: Pick<Results, 'keepAgain'>;
}

/** The hash of the environment that each cell would run in. */
export const environmentsOf = ({ facts }: SessionState): ReadonlyMap<string, string> =>
  new Map([...facts].map(([id, { environmentHash }]) => [id, environmentHash]));

/** `before`: the environments of the cells before the change. */
export async function carryOver(
  { current, history, results }: CarryParts,
  before: ReadonlyMap<string, string>,
  couldNotice: CouldNotice,
): Promise<void> {
  const session = current.session();
  const carried: { cellId: string; result: KeptResult }[] = [];
  for (const [cellId, facts] of session.facts) {
    const environmentHash = before.get(cellId);
    if (environmentHash === undefined || environmentHash === facts.environmentHash || facts.neverCached) continue;
    const [then, now] = [currentKey(session, { ...facts, environmentHash }), currentKey(session, facts)];
    const found = then === undefined ? undefined : resultUnder(session, cellId, then);
    const result = history.find(cellId, found?.key);
    if (now === undefined || result?.packages === undefined || couldNotice(result.packages)) continue;
    carried.push({ cellId, result: underKey(result, now, facts.environmentHash) });
  }
  for (const { cellId, result } of carried) {
    await results.keepAgain(cellId, result);
    history.remember(cellId, result);
  }
  current.apply({ type: 'carried', results: carried });
}

function underKey(result: KeptResult, base: string, environmentHash: string): KeptResult {
  const { files = {}, settingsUsed: used = {}, settingsMade: made = {} } = result;
  const key = observedKey(base, { files, settings: { used, made } });
  return { ...result, key, environmentHash, ...(key === base ? {} : { baseKey: base }) };
}
