// Changes of a notebook's structure can be taken back, newest first. Text has its own history in each editor. A deleted cell
// comes back under another id, so steps ask for the id that a cell has now.

export type CurrentId = (cellId: string) => string;

export interface Undo {
  did(label: string, takeBack: (now: CurrentId) => Promise<unknown>): void;
  renamed(from: string, to: string): void;
  /** What was taken back; undefined when there was nothing. */
  takeBack(): Promise<string | undefined>;
  /** One change after another, however fast the keys come: a change is known here before the next one begins. */
  inTurn(work: () => Promise<void>): Promise<void>;
}

const kept = 50;

export function createUndo(): Undo {
  const steps: { readonly label: string; readonly takeBack: (now: CurrentId) => Promise<unknown> }[] = [];
  const names = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();
  const now: CurrentId = (cellId) => {
    const next = names.get(cellId);
    return next === undefined ? cellId : now(next);
  };
  return {
    did(label, takeBack) {
      steps.push({ label, takeBack });
      if (steps.length > kept) steps.shift();
    },
    renamed: (from, to) => void names.set(from, to),
    async takeBack() {
      const step = steps.pop();
      await step?.takeBack(now);
      return step?.label;
    },
    inTurn(work) {
      const turn = last.then(work);
      last = turn.catch(() => {});
      return turn;
    },
  };
}
