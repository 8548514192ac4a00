// What a load was answered: counts by what was asked, what was wrong, and how long the quiet tenant waited.

export interface Ledger {
  readonly counts: Map<string, number>;
  /** What no load excuses; each once, with how often. */
  readonly wrong: Map<string, number>;
}

export const createLedger = (): Ledger => ({ counts: new Map(), wrong: new Map() });

export const count = ({ counts }: Ledger, what: string): void => {
  counts.set(what, (counts.get(what) ?? 0) + 1);
};

export const blame = ({ wrong }: Ledger, what: string): void => {
  wrong.set(what, (wrong.get(what) ?? 0) + 1);
};

export function medianOf(values: readonly number[]): number {
  return percentileOf(values, 50);
}

export function percentileOf(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)] ?? 0;
}
