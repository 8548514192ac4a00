// Several notebooks are open: which one?
import { Box, useApp, useInput } from 'ink';
import { type ReactElement, useState } from 'react';
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
  const [at, setAt] = useState(0);
  const { exit } = useApp();
  useInput((input, key) => {
    if (key.escape || input === 'q') exit();
    else if (key.return) exit(choices[at]);
    else if (key.upArrow) setAt(Math.max(0, at - 1));
    else if (key.downArrow) setAt(Math.min(choices.length - 1, at + 1));
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
