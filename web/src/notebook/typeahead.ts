// Keys that are pressed while a new cell is on its way: they are meant for it, and its editor gets them when it is there.

export interface Typeahead {
  wait(): void;
  /** A new cell is on its way, or its editor opens now. */
  isWaiting(): boolean;
  /** True when the key was kept. */
  press(event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey'>): boolean;
  /** What was typed; waiting is over. */
  take(): string;
}

export function createTypeahead(): Typeahead {
  let isWaiting = false;
  let text = '';
  return {
    wait() {
      isWaiting = true;
      text = '';
    },
    isWaiting: () => isWaiting,
    press({ key, metaKey, ctrlKey, altKey }) {
      if (!isWaiting || metaKey || ctrlKey || altKey) return false;
      if (key === 'Backspace') text = text.slice(0, -1);
      // The first Enter asks for the editor, which is coming.
      else if (key === 'Enter') text += text === '' ? '' : '\n';
      else if (key.length === 1) text += key;
      else return false;
      return true;
    },
    take() {
      const typed = text;
      isWaiting = false;
      text = '';
      return typed;
    },
  };
}
