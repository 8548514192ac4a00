// What can be done with the whole notebook.
import { address, exportAddress, refusalOf } from '../api/index.ts';
import { keyText, type MenuItem } from '../ui/index.ts';
import { commandOf } from './commands.ts';
import type { NotebookSession } from './session.ts';

const listed = ['run.everything', 'view.find', 'view.keys', 'notebook.app'];
const exports: readonly [format: string, label: string][] = [
  ['zip', 'Export as zip'],
  ['markdown', 'Export as Markdown'],
  ['html', 'Export as HTML'],
  ['snapshot', 'Export a snapshot with results'],
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
    ...exports.map(([format, label], index) => ({
      label,
      separated: index === 0,
      run: () => void download(session, exportAddress(session.sessionId, format)),
    })),
    ...command('notebook.delete', { danger: true, separated: true }),
  ];
}

/** Asked for by hand, so that a refusal is a sentence on the page and not a page of its own. */
async function download(session: NotebookSession, place: string): Promise<void> {
  const answer = await fetch(address(place));
  if (!answer.ok) {
    const { isMissing, message } = await refusalOf(answer);
    const text = isMissing ? 'This server does not export notebooks yet.' : message;
    return session.store.send({ kind: 'noticed', text, tone: 'error' });
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? 'notebook';
  link.click();
  URL.revokeObjectURL(link.href);
}
