// The steps of a plan as a value: which wait, which run. Among those that could start the one that stands first goes first, so
// that a plan without branches runs in its own order.

/** A place with room of its own for some of the steps. */
export interface StepLane {
  readonly name: string;
  readonly atOnce: number;
}

export interface Plan {
  /** In the order in which they would run one by one. */
  readonly steps: readonly string[];
  /** What must have ended before a step begins; what is not a step itself does not matter. */
  readonly waitsFor: (step: string) => Iterable<string>;
  /** Of those that stand in no lane. */
  readonly atOnce: number;
  /** Undefined: it runs here, with all others. */
  readonly laneOf?: (step: string) => StepLane | undefined;
}

export interface Steps {
  /** What has not begun, and how many each waits for; in the order of the plan. */
  readonly waiting: ReadonlyMap<string, number>;
  readonly running: ReadonlySet<string>;
  readonly followers: ReadonlyMap<string, readonly string[]>;
  readonly atOnce: number;
  readonly laneOf: (step: string) => StepLane | undefined;
  /** Nothing more starts; what runs is waited for. */
  readonly isEnding: boolean;
}

export function laidOut({ steps, waitsFor, atOnce, laneOf = () => undefined }: Plan): Steps {
  const known = new Set(steps);
  const followers = new Map<string, string[]>();
  const waiting = new Map<string, number>();
  for (const step of steps) {
    const before = new Set([...waitsFor(step)].filter((other) => other !== step && known.has(other)));
    waiting.set(step, before.size);
    for (const other of before) {
      const others = followers.get(other);
      if (others) others.push(step);
      else followers.set(other, [step]);
    }
  }
  return { waiting, running: new Set(), followers, atOnce, laneOf, isEnding: false };
}

export const isOver = ({ waiting, running, isEnding }: Steps): boolean =>
  running.size === 0 && (isEnding || waiting.size === 0);

/** What could start if there were room. */
export const free = ({ waiting, isEnding }: Steps): string[] =>
  isEnding ? [] : [...waiting].filter(([, left]) => left === 0).map(([step]) => step);

/** All that can start does. */
export function started(steps: Steps): { readonly steps: Steps; readonly begun: readonly string[] } {
  const inLane = new Map<string | undefined, number>();
  for (const step of steps.running) count(inLane, steps.laneOf(step));
  const begun = free(steps).filter((step) => {
    const lane = steps.laneOf(step);
    if ((inLane.get(lane?.name) ?? 0) >= (lane?.atOnce ?? steps.atOnce)) return false;
    count(inLane, lane);
    return true;
  });
  if (begun.length === 0) return { steps, begun };
  const waiting = new Map(steps.waiting);
  for (const step of begun) waiting.delete(step);
  return { steps: { ...steps, waiting, running: new Set([...steps.running, ...begun]) }, begun };
}

function count(inLane: Map<string | undefined, number>, lane: StepLane | undefined): void {
  inLane.set(lane?.name, (inLane.get(lane?.name) ?? 0) + 1);
}

/** They have ended, or are left out: nobody waits for them any longer. */
export function done(steps: Steps, gone: Iterable<string>): Steps {
  const waiting = new Map(steps.waiting);
  const running = new Set(steps.running);
  for (const step of gone) {
    running.delete(step);
    waiting.delete(step);
    for (const follower of steps.followers.get(step) ?? []) {
      const left = waiting.get(follower);
      if (left !== undefined) waiting.set(follower, left - 1);
    }
  }
  return { ...steps, waiting, running };
}

export const ending = (steps: Steps): Steps => ({ ...steps, isEnding: true });
