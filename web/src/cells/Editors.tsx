// Others who are in this cell right now, people and agents.

import { Avatar } from '../notebook/Avatar.tsx';
import { useModel } from '../notebook/context.ts';

export function Editors({ cellId }: { cellId: string }) {
  const names = useModel(({ presence }) =>
    presence.principals
      .filter(({ principal, focused_cell_id }) => focused_cell_id === cellId && principal !== presence.you)
      .map(({ principal }) => principal)
      .join('\n'),
  );
  const agents = useModel(({ agents: { acts } }) =>
    [...new Set(acts.filter(({ cell_id }) => cell_id === cellId).map(({ who }) => who))].join('\n'),
  );
  if (names === '' && agents === '') return null;
  return (
    <span className="cell-editors">
      {linesOf(names).map((name) => (
        <Avatar key={name} name={name} note="is here" />
      ))}
      {linesOf(agents).map((name) => (
        <Avatar key={name} name={name} note="is at work here" />
      ))}
    </span>
  );
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));
