// Keys that are pressed while a new cell is on its way: they are meant for it. Text goes to its editor when that is there; runs
// and other commands come after what was pressed before them.

/** Where text goes that is typed for a cell to come. */
type Beginning = 'before' | 'behind' | 'cursor';

export interface Typeahead {
  /**
   * `editor`: a cell is on its way and is written in, before or behind what it holds or at its cursor. `cell`: one that is not
   * written in before somebody presses Enter.
   */
  wait(what: 'editor' | 'cell', place?: Beginning): void;
  /** What the next key would be; null: nothing is on its way. */
  takes(): 'text' | 'commands' | null;
  /** Where the text begins. */
  place(): Beginning;
  /** True when the key was kept, as text. */
  press(event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey'>): boolean;
  /** Keeps a command. `does`: it opens or closes the editor, so that the keys after it are text, or commands. */
  pressCommand(run: () => void, does?: 'opens' | 'closes'): void;
  /** It is there: it gets what was typed, in turn with the commands, until one of them waits for something else. */
  replay(write: (text: string) => void): void;
  /** The cell does not come. */
  drop(): void;
}

interface Kept {
  text: string;
  readonly run?: () => void;
  readonly opens?: boolean;
}

export function createTypeahead(): Typeahead {
  let isWaiting = false;
  let takes: 'text' | 'commands' = 'text';
  let begins: Beginning = 'behind';
  let kept: Kept[] = [];

  function wait(what: 'editor' | 'cell', place: Beginning = 'behind'): void {
    isWaiting = true;
    begins = place;
    // Keys that wait already have said what comes after them.
    if (kept.length === 0) takes = what === 'editor' ? 'text' : 'commands';
  }

  return {
    wait,
    takes: () => (isWaiting ? takes : null),
    place: () => begins,
    press({ key, metaKey, ctrlKey, altKey }) {
      if (!isWaiting || metaKey || ctrlKey || altKey) return false;
      if (key !== 'Backspace' && key !== 'Enter' && key.length !== 1) return false;
      const last = kept.at(-1);
      const typed = last && !last.run ? last : { text: '' };
      if (typed !== last) kept.push(typed);
      if (key === 'Backspace') typed.text = typed.text.slice(0, -1);
      // The first Enter asks for the editor, which is coming.
      else if (key !== 'Enter') typed.text += key;
      else if (typed.text !== '') typed.text += '\n';
      return true;
    },
    pressCommand(run, does) {
      kept.push({ text: '', run, opens: does === 'opens' });
      if (does) takes = does === 'opens' ? 'text' : 'commands';
    },
    replay(write) {
      isWaiting = false;
      while (!isWaiting) {
        const next = kept.shift();
        if (!next) return;
        if (next.opens) wait('editor');
        if (next.run) next.run();
        else write(next.text);
      }
    },
    drop() {
      isWaiting = false;
      kept = [];
    },
  };
}
