// The pieces that the screen is made of. No JSX: the sources run as they stand.
import { Box, Text } from 'ink';
import { createElement, type ReactElement } from 'react';
import type { Line, Span } from '../lines.ts';

export const h = createElement;

export interface Palette {
  readonly hasColours: boolean;
}

export interface LinesProps {
  readonly lines: readonly Line[];
  readonly palette: Palette;
}

export function Lines({ lines, palette }: LinesProps): ReactElement {
  return h(
    Box,
    { flexDirection: 'column' },
    ...lines.map((line, index) =>
      h(Text, { key: index, wrap: 'truncate' }, ...line.map((span) => spanOf(span, palette))),
    ),
  );
}

const spanOf = ({ text, colour, background, bold, dim, inverse }: Span, { hasColours }: Palette): ReactElement =>
  h(
    Text,
    {
      ...(hasColours && colour !== undefined ? { color: colour } : {}),
      ...(hasColours && background !== undefined ? { backgroundColor: background } : {}),
      bold: bold ?? false,
      dimColor: dim ?? false,
      inverse: inverse ?? false,
    },
    text,
  );

export interface PaneProps extends LinesProps {
  readonly title: Line;
  readonly width: number;
  readonly height: number;
  readonly isFocused: boolean;
}

/** A frame with a title line and as many lines as fit. */
export function Pane({ title, lines, width, height, isFocused, palette }: PaneProps): ReactElement {
  const border = borderLook(isFocused, palette);
  return h(
    Box,
    { flexDirection: 'column', width, height, borderStyle: 'single', overflow: 'hidden', ...border },
    h(Lines, { lines: [title, ...lines.slice(0, linesIn(height))], palette }),
  );
}

const borderLook = (isFocused: boolean, { hasColours }: Palette): object =>
  isFocused ? (hasColours ? { borderColor: 'cyan' } : {}) : { borderDimColor: true };

/** Lines that a pane of this height shows below its title. */
export const linesIn = (height: number): number => Math.max(0, height - 3);
