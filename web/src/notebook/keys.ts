// The keyboard: single keys and pairs of keys in command mode, those with a modifier everywhere on the page.
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { isRefused } from './rights.ts';
import type { NotebookSession } from './session.ts';

/** How long the first key of a pair waits for the second. */
const pairMilliseconds = 800;

const keyNames: Readonly<Record<string, string>> = { '-': 'Minus', _: 'Minus', ' ': 'Space' };

export function chordOf(event: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'>): string {
  const isSign = event.key.length === 1 && event.key.toLowerCase() === event.key.toUpperCase();
  const key = keyNames[event.key] ?? (event.key.length === 1 ? event.key.toLowerCase() : event.key);
  const mod = event.metaKey || event.ctrlKey ? 'Mod-' : '';
  // A sign such as `?` already says that Shift was held.
  const shift = event.shiftKey && (!isSign || mod !== '') ? 'Shift-' : '';
  return `${mod}${shift}${event.altKey ? 'Alt-' : ''}${key}`;
}

/** Text has a history of its own. Elsewhere the browser would take back what was last written in any field. */
const ownOfText = new Set(['Mod-z', 'Mod-Shift-z', 'Mod-y']);

const isEverywhere = (chord: string): boolean =>
  (chord.includes('Mod-') && !ownOfText.has(chord)) ||
  chord === 'Shift-Enter' ||
  chord === 'Alt-Enter' ||
  /^(Shift-)?F\d+$/.test(chord);

/** Meant for the cell that is being written, also while it is on its way. */
const runChords = new Set(['Shift-Enter', 'Mod-Enter', 'Alt-Enter', 'Mod-Shift-Enter']);

export function createKeys(session: NotebookSession): (event: KeyboardEvent) => void {
  let first: { readonly chord: string; readonly at: number } | undefined;

  function find(chord: string): Command | undefined {
    const pair = first && Date.now() - first.at < pairMilliseconds ? `${first.chord} ${chord}` : undefined;
    first = undefined;
    const exact = commands.find(({ keys }) => (pair !== undefined && keys.includes(pair)) || keys.includes(chord));
    if (!exact && commands.some(({ keys }) => keys.some((known) => known.startsWith(`${chord} `))))
      first = { chord, at: Date.now() };
    return exact;
  }

  /** Whether the key is meant for a cell that is on its way; it is kept then. */
  function isForLater(event: KeyboardEvent, chord: string): boolean {
    const { typeahead } = session;
    const isText = typeahead.takes() === 'text';
    if (isText && chord === 'Escape') {
      typeahead.pressCommand(
        () => session.view.send({ kind: 'select', cellId: session.view.get().selected }),
        'closes',
      );
      return true;
    }
    if (!runChords.has(chord)) {
      if (isText) return typeahead.press(event);
      if (event.metaKey || event.ctrlKey || event.altKey || !isPlainKey(event)) return false;
    }
    const command = find(chord);
    const run = (): void => {
      if (command && !command.isOff?.(session) && !isRefused(session, command.needs)) command.run(session);
    };
    if (command) typeahead.pressCommand(run, chord === 'Enter' ? 'opens' : undefined);
    return true;
  }

  return (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const chord = chordOf(event);
    const inText = isTextPlace(event.target);
    if (!inText && session.writingOn.takes(event)) return event.preventDefault();
    if (!inText && session.typeahead.takes() !== null && isForLater(event, chord)) return event.preventDefault();
    if (event.key === 'Escape' && inText) return;
    if (inText && !isEverywhere(chord)) return;
    // A button in focus is pressed by Enter and Space, not the cell around it.
    if (isControl(event.target) && (chord === 'Enter' || chord === 'Space')) return;
    const command = find(chord);
    if (!command || command.isOff?.(session)) return;
    event.preventDefault();
    if (isRefused(session, command.needs)) return;
    const { selected } = session.view.get();
    command.run(session);
    if (session.view.get().selected !== selected) leaveControl();
  };
}

/** Whoever goes to another cell is done with the button that they pressed before: Enter is for the cell. */
export function leaveControl(): void {
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && isControl(focused)) focused.blur();
}

/** One that means something to a cell, and nothing to the browser. */
const isPlainKey = ({ key }: KeyboardEvent): boolean => key.length === 1 || key === 'Enter' || key.startsWith('Arrow');

const isTextPlace = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement);

const isControl = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('button, a, summary, [role=menuitem], [role=tab]') !== null;
