// Every form in which a notebook can be taken away.
import { address, exportAddress } from '../api/index.ts';

export const exportForms: readonly [format: string, title: string][] = [
  ['zip', 'Export as zip'],
  ['markdown', 'Export as Markdown'],
  ['html', 'Export as HTML'],
  ['ipynb', 'Export for Jupyter'],
  ['script', 'Export as Python script'],
  ['snapshot&include=all', 'Export a snapshot with results'],
];

export const exportNotebook = (sessionId: string, format: string): void => download(exportAddress(sessionId, format));

/** By a link, as the browser does it best: a file may be larger than the page's memory. */
export function download(path: string): void {
  const link = document.createElement('a');
  link.href = address(path);
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}
