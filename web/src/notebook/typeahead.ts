// Keys that are pressed while a new cell is on its way: they are meant for it, and its editor gets them when it is there. A
// run that is asked for meanwhile comes after what was typed before it.

export interface Typeahead {
  wait(): void;
  /** A new cell is on its way, or its editor opens now. */
  isWaiting(): boolean;
  /** True when the key was kept. */
  press(event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey'>): boolean;
  /** Keeps a run of the cell to come. */
  pressRun(run: () => void): void;
  /** The editor is there: it gets what was typed, in turn with the runs, until one of them waits for yet another cell. */
  replay(write: (text: string) => void): void;
  /** The cell does not come. */
  drop(): void;
}

export function createTypeahead(): Typeahead {
  let isWaiting = false;
  let kept: (string | (() => void))[] = [];
  function drop(): void {
    isWaiting = false;
    kept = [];
  }
  return {
    wait() {
      isWaiting = true;
    },
    isWaiting: () => isWaiting,
    press({ key, metaKey, ctrlKey, altKey }) {
      if (!isWaiting || metaKey || ctrlKey || altKey) return false;
      const last = kept.at(-1);
      const text = typeof last === 'string' ? last : '';
      if (key !== 'Backspace' && key !== 'Enter' && key.length !== 1) return false;
      if (typeof last === 'string') kept.pop();
      if (key === 'Backspace') kept.push(text.slice(0, -1));
      // The first Enter asks for the editor, which is coming.
      else if (key === 'Enter') kept.push(text === '' ? '' : `${text}\n`);
      else kept.push(text + key);
      return true;
    },
    pressRun: (run) => void kept.push(run),
    replay(write) {
      isWaiting = false;
      for (let next = kept.shift(); next !== undefined; next = kept.shift()) {
        if (typeof next === 'string') write(next);
        else next();
        if (isWaiting) return;
      }
    },
    drop,
  };
}
