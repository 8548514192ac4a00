// Random values that can be repeated: every source prints its seed, and SVC_TEST_SEED sets it.
export interface RandomSource {
  readonly seed: number;
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, below). */
  below(limit: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

export function createRandom(note: (line: string) => void): RandomSource {
  const given = Number(process.env.SVC_TEST_SEED);
  const seed = Number.isInteger(given) && given > 0 ? given : newSeed();
  note(`seed ${seed} (set SVC_TEST_SEED=${seed} to repeat)`);
  return randomFrom(seed);
}

export const newSeed = (): number => Math.floor(Math.random() * 2 ** 31);

export function randomFrom(seed: number): RandomSource {
  let state = seed;
  // mulberry32: small, fast, good enough to shake things with.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { seed, next, below, pick: (choices) => choices[below(choices.length)] ?? choices[0] };
}
