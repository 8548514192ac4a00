// Answers that stay true are kept, as many as there may be and as large as they may be together, the least recently used leaving first;
// equal questions at one time are asked once. A question that failed is asked anew.
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

export interface KeptLimits<Value> {
  readonly maxSize: number;
  /** Of all together, by what `bytesOf` says of each. */
  readonly maxBytes: number;
  bytesOf(value: Value): number;
}

interface Answer<Value> {
  readonly asked: Promise<Value>;
  /** Nothing until it is known. */
  bytes: number;
}

export function createKept<Value>({ maxSize, maxBytes, bytesOf }: KeptLimits<Value>): Kept<Value> {
  const answers = createRecentlyUsed<Answer<Value>>(maxSize);
  const counts = { hits: 0, misses: 0, evictions: 0 };
  let bytes = 0;

  function left(answer: Answer<Value>): void {
    bytes -= answer.bytes;
    counts.evictions += 1;
  }

  function weigh(key: string, answer: Answer<Value>, value: Value): void {
    // It may have had to leave before it was known.
    if (answers.peek(key) !== answer) return;
    answer.bytes = bytesOf(value);
    bytes += answer.bytes;
    answers.dropWhile((oldest) => {
      if (bytes <= maxBytes) return false;
      left(oldest);
      return true;
    });
  }

  return {
    get(key, ask) {
      const known = answers.get(key);
      if (known) {
        counts.hits += 1;
        return known.asked;
      }
      counts.misses += 1;
      const answer = { asked: ask(), bytes: 0 };
      const leaving = answers.set(key, answer);
      if (leaving) left(leaving);
      answer.asked.then(
        (value) => weigh(key, answer, value),
        () => answers.peek(key) === answer && answers.delete(key),
      );
      return answer.asked;
    },
    stats: () => ({ size: answers.size, maxSize, ...counts }),
    clear() {
      const { size } = answers;
      answers.dropWhile(() => true);
      bytes = 0;
      return size;
    },
  };
}
