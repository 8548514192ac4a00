// Printed text in the colours that it asks for, made legible on the paper that the page has.
import type { CSSProperties } from 'react';
import type { Look, Run } from '../../../src/terminalColours.ts';

export const Coloured = ({ runs }: { runs: readonly Run[] }) =>
  runs.map(({ text, look }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a run has no name but its place
    <span key={at} className={classesOf(look)} style={shadesOf(look)}>
      {text}
    </span>
  ));

function classesOf(look: Look): string | undefined {
  const { colour, background } = inSight(look);
  const names = [
    colour && 'shaded',
    background && 'shaded-behind',
    look.isInverse && !colour && !background && 'inverse',
    look.isBold && 'bold',
    look.isFaint && 'faint',
    look.isItalic && 'italic',
    look.isUnderlined && 'underlined',
    look.isStruck && 'struck',
  ];
  return names.filter(Boolean).join(' ') || undefined;
}

function shadesOf(look: Look): CSSProperties | undefined {
  const { colour, background } = inSight(look);
  // Custom properties are unknown to the types of React.
  const shades: Record<string, string> = {};
  if (colour) shades['--shade'] = colour;
  if (background) shades['--shade-behind'] = background;
  return colour || background ? shades : undefined;
}

const inSight = ({ colour, background, isInverse }: Look) =>
  isInverse ? { colour: background, background: colour } : { colour, background };
