/** The most recent measurements of something, a bounded number of them, and their percentiles. */
export interface RecentSamples {
  add(value: number): void;
  size(): number;
  /** Percentiles in the order asked; zeros while there is nothing. */
  percentiles(...ranks: number[]): number[];
}

export function createRecentSamples(capacity: number): RecentSamples {
  const values: number[] = [];
  let next = 0;
  return {
    add(value) {
      values[next] = value;
      next = (next + 1) % capacity;
    },
    size: () => values.length,
    percentiles(...ranks) {
      const sorted = values.toSorted((a, b) => a - b);
      return ranks.map((rank) => nearestRank(sorted, rank));
    },
  };
}

function nearestRank(sorted: readonly number[], rank: number): number {
  return sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)] ?? 0;
}
