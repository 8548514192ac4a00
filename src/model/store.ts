// A model, the function that changes it, and whoever watches.

export interface Store<State, Event> {
  get(): State;
  send(event: Event): void;
  subscribe(watcher: () => void): () => void;
}

export function createStore<State, Event>(
  initial: State,
  reduce: (state: State, event: Event) => State,
): Store<State, Event> {
  let state = initial;
  const watchers = new Set<() => void>();
  return {
    get: () => state,
    send(event) {
      const next = reduce(state, event);
      if (next === state) return;
      state = next;
      for (const watcher of watchers) watcher();
    },
    subscribe(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
