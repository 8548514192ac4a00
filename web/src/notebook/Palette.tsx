// Every command and every cell, found by typing a part of its name.
import { useMemo, useRef, useState } from 'react';
import { cellName, labelOf } from '../state/index.ts';
import { Dialog, Keys } from '../ui/index.ts';
import { commands } from './commands.ts';
import { useNotebook } from './context.ts';
import { leaveControl } from './keys.ts';
import { isOffered } from './rights.ts';

interface Entry {
  readonly key: string;
  readonly title: string;
  readonly note: string;
  readonly keys: string | undefined;
  run(): void;
}

const shownEntries = 60;

export function Palette({ onClose }: { onClose: () => void }) {
  const session = useNotebook();
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const list = useRef<HTMLDivElement>(null);

  const all = useMemo((): Entry[] => {
    const model = session.store.get();
    const actions = commands
      .filter((command) => isOffered(session, command))
      .map(({ id, title, titleNow, group, keys, run }) => ({
        key: id,
        title: titleNow?.(session) ?? title,
        note: group,
        keys: keys[0],
        run: () => run(session),
      }));
    const places = model.order.map((id) => ({
      key: `cell:${id}`,
      title: labelOf(model, id),
      note: `cell ${model.order.indexOf(id) + 1}`,
      keys: undefined,
      run: () => {
        leaveControl();
        session.view.send({ kind: 'jump', cellId: id, line: null });
      },
    }));
    const named = places.filter((_, place) => {
      const cell = model.cells.get(model.order[place] ?? '');
      return cell !== undefined && cellName(cell) !== '';
    });
    return [...actions, ...named];
  }, [session]);

  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return all
      .filter(({ title, note }) => words.every((word) => `${title} ${note}`.toLowerCase().includes(word)))
      .slice(0, shownEntries);
  }, [all, text]);

  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    // After the dialog has given the focus back.
    setTimeout(entry.run);
  };
  const walk = (step: number) => {
    const next = (index + step + found.length) % Math.max(1, found.length);
    setIndex(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };

  return (
    <Dialog title="Commands" onClose={onClose} wide>
      <div className="palette">
        <input
          className="input"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[index] ? `palette-${index}` : undefined}
          aria-label="Search commands and cells"
          placeholder="Search commands and cells"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setIndex(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') walk(1);
            else if (event.key === 'ArrowUp') walk(-1);
            else if (event.key === 'Enter') go(found[index]);
            else return;
            event.preventDefault();
          }}
        />
        <div ref={list} id="palette-list" role="listbox" tabIndex={-1} aria-label="Found" className="palette-list">
          {found.map((entry, place) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
            <div
              key={entry.key}
              id={`palette-${place}`}
              role="option"
              tabIndex={-1}
              aria-selected={place === index}
              onPointerMove={() => setIndex(place)}
              onClick={() => go(entry)}
            >
              <span>{entry.title}</span>
              <small>{entry.note}</small>
              {entry.keys !== undefined && <Keys keys={entry.keys} />}
            </div>
          ))}
        </div>
        {found.length === 0 && <p>Nothing has “{text}” in its name.</p>}
      </div>
    </Dialog>
  );
}
