// Others who are in this cell right now.

import { Avatar } from '../notebook/Avatar.tsx';
import { useModel } from '../notebook/context.ts';

export function Editors({ cellId }: { cellId: string }) {
  const names = useModel(({ presence }) =>
    presence.principals
      .filter(({ principal, focused_cell_id }) => focused_cell_id === cellId && principal !== presence.you)
      .map(({ principal }) => principal)
      .join('\n'),
  );
  if (names === '') return null;
  return (
    <span className="cell-editors">
      {names.split('\n').map((name) => (
        <Avatar key={name} name={name} note="is here" />
      ))}
    </span>
  );
}
