// Several notebooks are open: which one?
import { Box, useApp, useInput } from 'ink';
import { type ReactElement, useState, useSyncExternalStore } from 'react';
import { createStore } from '../../model/index.ts';
import { line, plain } from '../lines.ts';
import { h, Lines, type Palette } from './element.ts';

export interface Choice {
  readonly session_id: string;
  readonly name: string;
  readonly path: string;
}

export interface PickerProps {
  readonly choices: readonly Choice[];
  readonly palette: Palette;
}

/** Leaves with the chosen one, or with nothing. */
export function Picker({ choices, palette }: PickerProps): ReactElement {
  // A store, since a key may come before the one before it is drawn.
  const [place] = useState(() => createStore(0, (_, to: number) => Math.max(0, Math.min(to, choices.length - 1))));
  const at = useSyncExternalStore(place.subscribe, place.get);
  const { exit } = useApp();
  useInput((input, key) => {
    if (key.escape || input === 'q') exit();
    else if (key.return) exit(choices[place.get()]);
    else if (key.upArrow) place.send(place.get() - 1);
    else if (key.downArrow) place.send(place.get() + 1);
  });
  return h(
    Box,
    { flexDirection: 'column' },
    h(Lines, {
      lines: [
        line('Which notebook?  (↑ ↓ Enter, Esc leaves)', { bold: true }),
        ...choices.map(({ name, path }, index) => [
          { text: ` ${plain(name)}  `, inverse: index === at },
          { text: plain(path), dim: true },
        ]),
      ],
      palette,
    }),
  );
}
