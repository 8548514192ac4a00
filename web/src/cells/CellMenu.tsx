// Everything else that can be done with a cell.

import { memo } from 'react';
import { can, kindOf } from '../../../src/cellLanguages.ts';
import { isLoop, isVariant } from '../notebook/cellCommands.ts';
import { commandOf } from '../notebook/commands.ts';
import { useNotebook } from '../notebook/context.ts';
import { isTheirs } from '../notebook/rights.ts';
import { useAsker } from '../scopes.ts';
import { type CellModel, useStore } from '../state/index.ts';
import { Icon, keyText, Menu, type MenuItem } from '../ui/index.ts';

const forCode = ['run.rerun', 'run.force', 'run.impact', 'cell.inspect', 'cell.tests', 'cell.results'];
const forHelp = ['assist.explain', 'assist.edit', 'assist.write'];
const forAll = [
  'cell.comments',
  'cell.cut',
  'cell.copy',
  'cell.paste',
  'cell.duplicate',
  'cell.up',
  'cell.down',
  'cell.merge',
  'cell.collapse',
];

export const CellMenu = memo(function CellMenu({ cell }: { cell: CellModel }) {
  const session = useNotebook();
  useAsker(); // what they may do is known a moment later
  const model = useStore(session.assistant, (offer) => offer.model);
  const item = (id: string, more: Partial<MenuItem> = {}): MenuItem[] => {
    const command = commandOf(id);
    if (!command || !isTheirs(session, command)) return [];
    const [keys] = command.keys;
    return [
      {
        label: command.title,
        ...(keys === undefined ? {} : { hint: keyText(keys) }),
        ...more,
        run: () => {
          session.view.send({ kind: 'select', cellId: cell.id });
          command.run(session);
        },
      },
    ];
  };
  const isNote = kindOf(cell.language) === 'text';
  const items = (): readonly MenuItem[] => [
    ...(isNote ? [] : forCode.flatMap((id) => item(id))),
    ...(can(cell.language, 'run elsewhere') ? item('cell.worker') : []),
    ...(isLoop(cell) ? item('cell.iterations') : []),
    ...(isVariant(cell) ? item('cell.variants') : []),
    ...(model === null ? [] : forHelp.flatMap((id, index) => item(id, { separated: index === 0 && !isNote }))),
    ...forAll.flatMap((id, index) => item(id, { separated: index === 0 && (!isNote || model !== null) })),
    ...item(isNote ? 'cell.python' : 'cell.markdown'),
    ...item('cell.delete', { danger: true, separated: true }),
  ];
  return (
    <Menu label="More for this cell" items={items}>
      <Icon name="more" />
    </Menu>
  );
});
