// Answers that stay true are kept, the least recently used leaving first; equal questions at one time are asked once. A question
// that failed is asked anew.
import { createRecentlyUsed } from '../../recentlyUsed.ts';

export interface KeptStats {
  readonly size: number;
  readonly maxSize: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

export interface Kept<Value> {
  get(key: string, ask: () => Promise<Value>): Promise<Value>;
  stats(): KeptStats;
  /** Forgets everything; gives how much it was. */
  clear(): number;
}

export function createKept<Value>(maxSize: number): Kept<Value> {
  const answers = createRecentlyUsed<Promise<Value>>(maxSize);
  const counts = { hits: 0, misses: 0, evictions: 0 };
  return {
    get(key, ask) {
      const known = answers.get(key);
      if (known) {
        counts.hits += 1;
        return known;
      }
      counts.misses += 1;
      const asked = ask();
      if (answers.set(key, asked)) counts.evictions += 1;
      asked.catch(() => answers.peek(key) === asked && answers.delete(key));
      return asked;
    },
    stats: () => ({ size: answers.size, maxSize, ...counts }),
    clear() {
      const { size } = answers;
      answers.dropWhile(() => true);
      return size;
    },
  };
}
