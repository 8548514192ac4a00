// Changes of a notebook can be taken back, newest first, and made again. Text has its own history in each editor. A deleted
// cell may come back under another id, so steps ask for the id that a cell has now.

export type CurrentId = (cellId: string) => string;
export type Change = (now: CurrentId) => Promise<unknown>;

export interface Undo {
  /** `again`: makes the change once more; where it is left out, it is worked out from what taking back changed. */
  did(label: string, takeBack: Change, again?: Change): void;
  renamed(from: string, to: string): void;
  /** Said of each cell that a step adds, deletes or writes in: what others do meanwhile is not its own. */
  touched(cellId: string): void;
  /**
   * What was taken back; undefined when there was nothing. `reversed`: does the work, which gives the cells that it touched, and
   * gives what undoes it. What fails throws `NotDone` and stays, so that it can be tried again.
   */
  takeBack(reversed: (work: () => Promise<ReadonlySet<string>>) => Promise<Change>): Promise<string | undefined>;
  /** What was made again; what fails stays too. */
  doAgain(): Promise<string | undefined>;
  /** Whether the step that would be taken back next has failed already. */
  isStuck(): boolean;
  /** Leaves out the step that would be taken back next: those before it are reached again. What it was. */
  skip(): string | undefined;
  /** One change after another, however fast the keys come: a change is known here before the next one begins. */
  inTurn(work: () => Promise<void>): Promise<void>;
}

/** A step that could not be taken back or made again, and why. */
export class NotDone extends Error {
  override readonly name = 'NotDone';
  readonly label: string;
  constructor(label: string, reason: unknown) {
    super(reason instanceof Error ? reason.message : String(reason), { cause: reason });
    this.label = label;
  }
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
  let stuck: Step | undefined;
  let touched = new Set<string>();
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
    touched: (cellId) => void touched.add(cellId),
    async takeBack(reversed) {
      const step = steps.at(-1);
      if (!step) return undefined;
      try {
        const work = async () => {
          const mine = new Set<string>();
          touched = mine;
          await step.takeBack(now);
          return mine;
        };
        const again = step.again ?? (await reversed(work));
        if (step.again) await step.takeBack(now);
        // Something that took long may have been done meanwhile, and the step itself left out.
        const place = steps.indexOf(step);
        if (place >= 0) steps.splice(place, 1);
        if (stuck === step) stuck = undefined;
        undone.push({ step, again });
        return step.label;
      } catch (error) {
        stuck = step;
        throw new NotDone(step.label, error);
      }
    },
    async doAgain() {
      const next = undone.at(-1);
      if (!next) return undefined;
      try {
        await next.again(now);
      } catch (error) {
        throw new NotDone(next.step.label, error);
      }
      undone = undone.filter((one) => one !== next);
      steps.push(next.step);
      return next.step.label;
    },
    isStuck: () => stuck !== undefined && steps.at(-1) === stuck,
    skip: () => steps.pop()?.label,
    inTurn(work) {
      const turn = last.then(work);
      last = turn.catch(() => {});
      return turn;
    },
  };
}
