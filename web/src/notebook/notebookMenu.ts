// What can be done with the whole notebook.
import { address, exportAddress } from '../api/index.ts';
import { reportOf } from '../importReports.ts';
import { keyText, type MenuItem } from '../ui/index.ts';
import { commandOf } from './commands.ts';
import type { NotebookSession } from './session.ts';

const listed = ['run.everything', 'view.find', 'view.keys', 'notebook.app'];
const exports: readonly [format: string, label: string][] = [
  ['zip', 'Export as zip'],
  ['markdown', 'Export as Markdown'],
  ['html', 'Export as HTML'],
  ['ipynb', 'Export for Jupyter'],
  ['script', 'Export as Python script'],
  ['snapshot&include=all', 'Export a snapshot with results'],
];

export function notebookMenu(session: NotebookSession): readonly MenuItem[] {
  const command = (id: string, more: Partial<MenuItem> = {}): MenuItem[] => {
    const found = commandOf(id);
    if (!found) return [];
    const [keys] = found.keys;
    const hint = keys === undefined ? {} : { hint: keyText(keys) };
    return [{ label: found.title, ...hint, ...more, run: () => found.run(session) }];
  };
  return [
    ...listed.flatMap((id) => command(id)),
    ...(reportOf(session.store.get().path) ? command('notebook.report') : []),
    ...exports.map(([format, label], index) => ({
      label,
      separated: index === 0,
      run: () => download(exportAddress(session.sessionId, format)),
    })),
    ...command('notebook.delete', { danger: true, separated: true }),
  ];
}

/** By a link, as the browser does it best: a snapshot may be larger than the page's memory. */
function download(place: string): void {
  const link = document.createElement('a');
  link.href = address(place);
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}
