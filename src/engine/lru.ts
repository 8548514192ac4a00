// A map that forgets what was used longest ago once it holds more than `capacity` entries.

export interface Lru<V> {
  readonly size: number;
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
}

export function createLru<V>(capacity: number): Lru<V> {
  const entries = new Map<string, V>(); // a Map keeps the order of insertion: the first key is the oldest

  return {
    get size() {
      return entries.size;
    },
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= capacity) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        return;
      }
    },
    delete(key) {
      entries.delete(key);
    },
  };
}
