// What a benchmark line is: one thing measured, the budget it has to keep, and what it is held against. Peers are other
// programs that do the same work; limits are the least that the work can cost here (a bare process, a plain pipe).
import type { PeerName } from './programs/peers.ts';
import type { Program } from './programs/program.ts';
import type { Sandbox } from './sandbox.ts';

export type Unit = 'ms' | 'KiB' | 'MiB' | 'MB/s' | 'per s';

/** `times`: at most so many times what the peer of this name takes. */
export type Budget =
  | { readonly atMost: number }
  | { readonly atLeast: number }
  | { readonly times: number; readonly peer: string };

/** Takes one sample, in the unit of its line. */
export type Measure = (context: Context) => Promise<number>;

export interface Line {
  readonly name: string;
  readonly unit: Unit;
  /** Left out for lines that only inform. */
  readonly budget?: Budget;
  readonly ours: Measure;
  readonly limits?: Readonly<Record<string, Measure>>;
  readonly peers?: Readonly<Record<string, Measure>>;
  /** Ours and the limits are measured once before it counts, so that the caches of compiled code and of files are warm. */
  readonly warmUp?: boolean;
  /** Samples that take many seconds are taken in so many rounds at most. */
  readonly rounds?: number;
  /** Left out of a quick run: it takes long, or says what a quicker line says of smaller things. */
  readonly onlyFull?: boolean;
}

export interface Context {
  /** Where the line's processes and folders live; all of them end with the line. */
  readonly sandbox: Sandbox;
  /** Fails with `NotMeasured` where the peer cannot be had. */
  peer(name: PeerName): Promise<Program>;
}

/** A thing that is made for the first sample of a line and used by the later ones too, such as a server under load. */
export function kept<T>(make: (context: Context) => Promise<T>): (context: Context) => Promise<T> {
  const made = new WeakMap<Context, Promise<T>>();
  return (context) => {
    const known = made.get(context);
    if (known) return known;
    const fresh = make(context);
    made.set(context, fresh);
    return fresh;
  };
}

/** `medianOf`: of a peer; undefined where it was not measured, and nothing can be said. */
export function holds(
  budget: Budget,
  value: number,
  medianOf: (peer: string) => number | undefined,
): boolean | undefined {
  if ('atMost' in budget) return value <= budget.atMost;
  if ('atLeast' in budget) return value >= budget.atLeast;
  const theirs = medianOf(budget.peer);
  return theirs === undefined ? undefined : value <= budget.times * theirs;
}
