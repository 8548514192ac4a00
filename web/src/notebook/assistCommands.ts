// Help from a model, as commands; off where nobody can be asked.
import type { AssistTask } from '../../../src/protocol/index.ts';
import type { NotebookSession } from './session.ts';
import { switchTypingModel, typingModel } from './typingHelp.ts';

const isOff = ({ assistant }: NotebookSession): boolean => assistant.get().model === null;

const hasNoCell = (session: NotebookSession): boolean => isOff(session) || session.view.get().selected === null;

const hasNotFailed = (session: NotebookSession): boolean =>
  hasNoCell(session) || session.store.get().cells.get(session.view.get().selected ?? '')?.problem == null;

/** What is asked for in a dialog. */
export type AskedTask = Exclude<AssistTask, 'complete'>;

const command = (task: AskedTask, title: string, off: (session: NotebookSession) => boolean) => ({
  id: `assist.${task}`,
  group: 'Cells' as const,
  needs: 'notebook:execute' as const,
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
  {
    id: 'assist.typing',
    group: 'Cells' as const,
    needs: 'notebook:execute' as const,
    title: 'Let a model go on with what you type, or stop that',
    titleNow: (session: NotebookSession): string =>
      typingModel(session) === null
        ? `Let ${session.assistant.get().model ?? 'a model'} go on with what you type`
        : `Stop ${session.assistant.get().model ?? 'the model'} going on with what you type`,
    keys: [],
    run: switchTypingModel,
    isOff,
  },
];
