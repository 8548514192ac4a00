// Runs the steps of a plan, several at once where none waits for another. Among those that could start, the one that
// stands first goes first, so that a plan without branches runs in its own order.
import type { Lane } from '../languages/index.ts';
import { mayMeet, type ToldEffects } from './effects.ts';

export interface Schedule {
  /** In the order in which they would run one by one. */
  readonly steps: readonly string[];
  /** What must have ended before a step begins; what is not a step itself does not matter. */
  readonly waitsFor: (step: string) => Iterable<string>;
  /** Of those that stand in no other lane. */
  readonly atOnce: number;
  /** Steps of a lane are counted for themselves; undefined: it runs here, with all others. */
  readonly laneOf?: (step: string) => Lane | undefined;
  /** Resolves to false when nothing more should start. What runs already is waited for. */
  readonly run: (step: string) => Promise<boolean>;
}

export async function runSchedule({ steps, waitsFor, atOnce, laneOf, run }: Schedule): Promise<void> {
  const place = new Map(steps.map((step, index) => [step, index]));
  const followers = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const step of steps) {
    const before = new Set([...waitsFor(step)].filter((other) => other !== step && place.has(other)));
    open.set(step, before.size);
    for (const other of before) followers.set(other, [...(followers.get(other) ?? []), step]);
  }
  const free = steps.filter((step) => open.get(step) === 0);
  const running = new Set<Promise<void>>();
  let goesOn = true;
  const inLane = new Map<string | undefined, number>();
  const count = (lane: Lane | undefined, more: number): void =>
    void inLane.set(lane?.name, (inLane.get(lane?.name) ?? 0) + more);
  const hasRoom = (lane: Lane | undefined): boolean => (inLane.get(lane?.name) ?? 0) < (lane?.atOnce ?? atOnce);

  /** The first that could start. */
  function next(): string | undefined {
    const at = free.findIndex((step) => hasRoom(laneOf?.(step)));
    return at < 0 ? undefined : free.splice(at, 1)[0];
  }

  function release(step: string): void {
    for (const follower of followers.get(step) ?? []) {
      const left = (open.get(follower) ?? 0) - 1;
      open.set(follower, left);
      if (left === 0) insertInOrder(free, follower, place);
    }
  }

  async function runOne(step: string): Promise<void> {
    const lane = laneOf?.(step);
    count(lane, 1);
    goesOn = (await run(step).finally(() => count(lane, -1))) && goesOn;
    release(step);
  }

  for (;;) {
    for (let step = goesOn ? next() : undefined; step !== undefined; step = next()) {
      const ended = runOne(step).finally(() => running.delete(ended));
      running.add(ended);
    }
    if (running.size === 0) return;
    await Promise.race(running);
  }
}

function insertInOrder(free: string[], step: string, place: ReadonlyMap<string, number>): void {
  const at = place.get(step) ?? 0;
  const next = free.findIndex((other) => (place.get(other) ?? 0) > at);
  free.splice(next < 0 ? free.length : next, 0, step);
}

/**
 * For each step those before it that must have ended, although no variable joins them: what one writes another may read. A step
 * of which nobody knows what it touches keeps its place: it waits for all before it, and all after it wait for it.
 */
export function orderedBy(
  steps: readonly string[],
  effectsOf: (step: string) => ToldEffects | undefined,
): ReadonlyMap<string, readonly string[]> {
  const before = new Map<string, readonly string[]>();
  let unknown: readonly string[] = [];
  let since: { readonly id: string; readonly effects: ToldEffects }[] = [];
  for (const id of steps) {
    const effects = effectsOf(id);
    if (effects) {
      before.set(id, [
        ...unknown,
        ...since.filter((other) => mayMeet(effects, other.effects)).map((other) => other.id),
      ]);
      since.push({ id, effects });
    } else {
      before.set(id, [...unknown, ...since.map((other) => other.id)]);
      unknown = [id];
      since = [];
    }
  }
  return before;
}

/** Whether the text of a cell speaks of files, folders, processes or networks. */
export const mayTouchFiles = (source: string): boolean => fileWords.test(source);

const fileWords =
  /open|save|load|write|read|dump|file|path|fetch|cache|store|connect|\b(os|shutil|glob|subprocess|socket|requests|urllib|httpx?|sqlite3|duckdb|system|exec|eval|environ|to_\w+|mkdir|unlink|remove|rename|touch|joblib|logging)\b/i;
