// What the service has answered for, and what it was told without an answer. Each cell and each name has one writer, so that it
// is always known which text or bytes may be there: the last that was answered for, or one that was sent after it.

export interface Written {
  /** Undefined before the first answer. */
  acknowledged: string | undefined;
  /** Sent after it, and never answered. */
  unanswered: string[];
}

export interface Ledger {
  /** Sources by cell. */
  readonly cells: Map<string, Written>;
  /** Digests of the bytes that a name leads to, by name. */
  readonly names: Map<string, Written>;
  /** Whether a package is `declared` or `absent`, by its name. */
  readonly packages: Map<string, Written>;
  /** What files hold that cells write into their mount, by name. */
  readonly mounted: Map<string, Written>;
  /** Digests of stored bytes, by the route that they are read from. */
  readonly bytes: Map<string, string>;
  /** Builds that were begun. */
  readonly builds: Set<string>;
  /** Answers that no fault excuses. */
  readonly wrong: string[];
  /** How many things were answered for, by kind; and refusals, by what was said. */
  readonly counts: Map<string, number>;
}

export const createLedger = (): Ledger => ({
  cells: new Map(),
  names: new Map(),
  packages: new Map(),
  mounted: new Map(),
  bytes: new Map(),
  builds: new Set(),
  wrong: [],
  counts: new Map(),
});

export function count({ counts }: Ledger, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function writtenIn(map: Map<string, Written>, key: string): Written {
  const known = map.get(key) ?? { acknowledged: undefined, unanswered: [] };
  map.set(key, known);
  return known;
}

/** To be called before it is sent; gives what to call when the answer has come. */
export function sending(
  map: Map<string, Written>,
  key: string,
  value: string,
): { acknowledge(): void; refuse(): void } {
  const written = writtenIn(map, key);
  written.unanswered.push(value);
  return {
    acknowledge() {
      written.acknowledged = value;
      written.unanswered = [];
    },
    refuse() {
      written.unanswered = written.unanswered.filter((one) => one !== value);
    },
  };
}

/** Undefined when the value may be there. */
export function doubtOf({ acknowledged, unanswered }: Written, found: string | undefined): string | undefined {
  if (found === acknowledged || (found !== undefined && unanswered.includes(found))) return undefined;
  const start = (text: string | undefined): string => JSON.stringify(text?.slice(0, 60) ?? null);
  return `holds ${start(found)}; ${start(acknowledged)} was answered for, ${unanswered.length} more were sent`;
}
