// How components read a store.
import { useSyncExternalStore } from 'react';
import type { Store } from '../../../src/model/index.ts';

/** The selector must give the same value for the same state: pick, do not build. */
export function useStore<State, Event, Picked>(store: Store<State, Event>, pick: (state: State) => Picked): Picked {
  return useSyncExternalStore(store.subscribe, () => pick(store.get()));
}
