// Every form in which a notebook can be taken away, as commands.
import { address, exportAddress } from '../api/index.ts';
import type { Command } from './commands.ts';

const forms: readonly [format: string, title: string][] = [
  ['zip', 'Export as zip'],
  ['markdown', 'Export as Markdown'],
  ['html', 'Export as HTML'],
  ['ipynb', 'Export for Jupyter'],
  ['script', 'Export as Python script'],
  ['snapshot&include=all', 'Export a snapshot with results'],
];

export const exportCommands: readonly Command[] = forms.map(([format, title]) => ({
  id: `notebook.export.${format}`,
  group: 'Notebook',
  title,
  keys: [],
  run: ({ sessionId }) => download(exportAddress(sessionId, format)),
}));

/** By a link, as the browser does it best: a snapshot may be larger than the page's memory. */
function download(place: string): void {
  const link = document.createElement('a');
  link.href = address(place);
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}
