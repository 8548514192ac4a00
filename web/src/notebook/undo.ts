// Changes of a notebook's structure can be taken back, newest first. Text has its own history in each editor.

export interface Undo {
  did(label: string, takeBack: () => Promise<void>): void;
  /** What was taken back; undefined when there was nothing. */
  takeBack(): Promise<string | undefined>;
}

const kept = 50;

export function createUndo(): Undo {
  const steps: { readonly label: string; readonly takeBack: () => Promise<void> }[] = [];
  return {
    did(label, takeBack) {
      steps.push({ label, takeBack });
      if (steps.length > kept) steps.shift();
    },
    async takeBack() {
      const step = steps.pop();
      await step?.takeBack();
      return step?.label;
    },
  };
}
