// Changes of a notebook can be taken back, newest first, and made again. Text has its own history in each editor. A deleted
// cell may come back under another id, so steps ask for the id that a cell has now.

export type CurrentId = (cellId: string) => string;
export type Change = (now: CurrentId) => Promise<unknown>;

export interface Undo {
  /** `again`: makes the change once more; where it is left out, it is worked out from what taking back changed. */
  did(label: string, takeBack: Change, again?: Change): void;
  renamed(from: string, to: string): void;
  /** What was taken back; undefined when there was nothing. `reversed`: does the work, and gives what undoes it. */
  takeBack(reversed: (work: () => Promise<unknown>) => Promise<Change>): Promise<string | undefined>;
  /** What was made again. */
  doAgain(): Promise<string | undefined>;
  /** One change after another, however fast the keys come: a change is known here before the next one begins. */
  inTurn(work: () => Promise<void>): Promise<void>;
}

interface Step {
  readonly label: string;
  readonly takeBack: Change;
  readonly again: Change | undefined;
}

const kept = 50;

export function createUndo(): Undo {
  const steps: Step[] = [];
  let undone: { readonly step: Step; readonly again: Change }[] = [];
  const names = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();
  const now: CurrentId = (cellId) => {
    const next = names.get(cellId);
    return next === undefined ? cellId : now(next);
  };
  return {
    did(label, takeBack, again) {
      undone = [];
      steps.push({ label, takeBack, again });
      if (steps.length > kept) steps.shift();
    },
    renamed: (from, to) => void names.set(from, to),
    async takeBack(reversed) {
      const step = steps.pop();
      if (!step) return undefined;
      const again = step.again ?? (await reversed(() => step.takeBack(now)));
      if (step.again) await step.takeBack(now);
      undone.push({ step, again });
      return step.label;
    },
    async doAgain() {
      const last = undone.pop();
      if (!last) return undefined;
      await last.again(now);
      steps.push(last.step);
      return last.step.label;
    },
    inTurn(work) {
      const turn = last.then(work);
      last = turn.catch(() => {});
      return turn;
    },
  };
}
