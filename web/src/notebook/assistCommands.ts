// Help from a model, as commands; off where nobody can be asked.
import type { AssistTask } from '../../../src/protocol/index.ts';
import type { NotebookSession } from './session.ts';

const isOff = ({ assistant, isReadOnly }: NotebookSession): boolean => isReadOnly || assistant.get().model === null;

const hasNoCell = (session: NotebookSession): boolean => isOff(session) || session.view.get().selected === null;

const hasNotFailed = (session: NotebookSession): boolean =>
  hasNoCell(session) || session.store.get().cells.get(session.view.get().selected ?? '')?.problem == null;

const command = (task: AssistTask, title: string, off: (session: NotebookSession) => boolean) => ({
  id: `assist.${task}`,
  group: 'Cells' as const,
  title,
  keys: [],
  run: ({ view }: NotebookSession): void => view.send({ kind: 'overlay', overlay: 'assist', subject: task }),
  isOff: off,
});

export const assistCommands = [
  command('fix', 'Fix this cell with a model …', hasNotFailed),
  command('explain', 'Explain this cell …', hasNoCell),
  command('edit', 'Edit this cell with a model …', hasNoCell),
  command('write', 'Write a cell with a model …', isOff),
];
