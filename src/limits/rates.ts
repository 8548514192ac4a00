// How often something happened to each of many in the last second. Who was quiet for two seconds is forgotten.

export interface Rates {
  count(who: string, milliseconds: number): void;
  perSecond(who: string, milliseconds: number): number;
}

export function createRates(): Rates {
  let second = 0;
  let counts = new Map<string, number>();
  let before = new Map<string, number>();

  function turnTo(milliseconds: number): void {
    const now = Math.floor(milliseconds / 1000);
    if (now === second) return;
    before = now === second + 1 ? counts : new Map();
    counts = new Map();
    second = now;
  }

  return {
    count(who, milliseconds) {
      turnTo(milliseconds);
      counts.set(who, (counts.get(who) ?? 0) + 1);
    },
    perSecond(who, milliseconds) {
      turnTo(milliseconds);
      // What is left of the last second counts for the part of it that has not passed.
      const left = 1 - (milliseconds % 1000) / 1000;
      return (counts.get(who) ?? 0) + (before.get(who) ?? 0) * left;
    },
  };
}
