// What can be done with the whole notebook.
import { reportOf } from '../importReports.ts';
import { keyText, type MenuItem } from '../ui/index.ts';
import { commandOf } from './commands.ts';
import { exportForms, exportNotebook } from './exporting.ts';
import { isOffered } from './rights.ts';
import type { NotebookSession } from './session.ts';

const listed = [
  'run.everything',
  'run.reactive',
  'view.find',
  'view.keys',
  'notebook.rename',
  'notebook.app',
  'notebook.print',
  'notebook.share',
];

export function notebookMenu(session: NotebookSession): readonly MenuItem[] {
  const command = (id: string, more: Partial<MenuItem> = {}): MenuItem[] => {
    const found = commandOf(id);
    if (!found || !isOffered(session, found)) return [];
    const [keys] = found.keys;
    const hint = keys === undefined ? {} : { hint: keyText(keys) };
    return [{ label: found.titleNow?.(session) ?? found.title, ...hint, ...more, run: () => found.run(session) }];
  };
  return [
    ...listed.flatMap((id) => command(id)),
    ...(session.assistant.get().model === null ? [] : command('assist.typing')),
    ...(reportOf(session.store.get().path) ? command('notebook.report') : []),
    ...exportForms.map(([format, label], index) => ({
      label,
      separated: index === 0,
      run: () => exportNotebook(session.sessionId, format),
    })),
    ...command('notebook.delete', { danger: true, separated: true }),
  ];
}
