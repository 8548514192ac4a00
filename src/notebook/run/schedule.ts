// Runs the steps of a plan, several at once where none waits for another; and which of them wait although no variable joins them.
import { done, ending, isOver, laidOut, type Plan, started } from '../state/index.ts';
import { mayMeet, type ToldEffects } from './effects.ts';

/** `run` resolves to false when nothing more should start. What runs already is waited for. */
export async function runSchedule({ run, ...plan }: Plan & { run(step: string): Promise<boolean> }): Promise<void> {
  let steps = laidOut(plan);
  const running = new Set<Promise<void>>();

  async function runOne(step: string): Promise<void> {
    const goesOn = await run(step).finally(() => {
      steps = done(steps, [step]);
    });
    if (!goesOn) steps = ending(steps);
  }

  while (!isOver(steps)) {
    const next = started(steps);
    steps = next.steps;
    for (const step of next.begun) {
      const ended = runOne(step).finally(() => running.delete(ended));
      running.add(ended);
    }
    await Promise.race(running);
  }
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
