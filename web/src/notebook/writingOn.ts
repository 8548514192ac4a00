// Somebody else deletes the cell that is being written in. Its writer notices a moment later: what comes from the keys until then is
// still text, kept with what they wrote, and not a row of commands for another cell.
import type { NotebookModel, Orphan, Store, StoreEvent } from '../state/index.ts';

export interface WritingOn {
  /** `empty`: where nothing of the cell is kept yet, what its first key begins. */
  begin(empty?: Orphan): void;
  /** Whether the key was text for the cell that is gone. */
  takes(event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey'>): boolean;
  end(): void;
}

/** Whoever has not pressed a key for so long has seen that the cell is gone. */
const pauseMilliseconds = 3000;

export function createWritingOn(store: Store<NotebookModel, StoreEvent>, now = Date.now): WritingOn {
  let lastKey = Number.NEGATIVE_INFINITY;
  let beginning: Orphan | undefined;
  return {
    begin(empty) {
      lastKey = now();
      beginning = empty;
    },
    takes({ key, metaKey, ctrlKey, altKey }) {
      if (now() - lastKey > pauseMilliseconds) return false;
      if (metaKey || ctrlKey || altKey || (key.length > 1 && key !== 'Enter' && key !== 'Backspace')) {
        // Held with others, they are no text; the rest leaves it.
        if (!['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock'].includes(key))
          lastKey = Number.NEGATIVE_INFINITY;
        return key === 'Escape';
      }
      lastKey = now();
      if (beginning && key === 'Backspace') return true;
      if (beginning) store.send({ kind: 'orphaned', orphan: beginning });
      beginning = undefined;
      store.send({ kind: 'wroteOn', key });
      return true;
    },
    end() {
      lastKey = Number.NEGATIVE_INFINITY;
    },
  };
}
