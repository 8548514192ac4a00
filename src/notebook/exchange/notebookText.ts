// A notebook as one text: a page to read, a notebook for Jupyter, a script. What asks for it only says which.
import { readComments } from '../comments/index.ts';
import { readJupyterFacts } from '../document/index.ts';
import type { LiveNotebook } from '../live/index.ts';
import { blocksOf, type PageOptions } from './blocks.ts';
import { readmeOf } from './bundle.ts';
import { htmlOf } from './html.ts';
import { jupyterNotebook } from './ipynb.ts';
import { markdownOf } from './markdown.ts';
import { pythonScript } from './scripts.ts';
import { type TableBeginning, wholeRecords } from './wholeOutputs.ts';

export type TextFormat = 'markdown' | 'html' | 'ipynb' | 'script';

/** A page scrolls; Markdown is read as a text. */
const tableRows = { html: 200, markdown: 20, ipynb: 20 } as const;

export async function notebookText(
  live: LiveNotebook,
  format: TextFormat,
  options: PageOptions,
  beginning: TableBeginning,
): Promise<string> {
  const { name } = live.notebook();
  if (format === 'script')
    return pythonScript({ name, cells: live.cellRecords(), running: live.dag().topological_order });
  const { maxOutputBytes } = options;
  const cells = await wholeRecords(live, { beginning, rows: tableRows[format], maxOutputBytes });
  if (format === 'ipynb') {
    const facts = await readJupyterFacts(live.directory);
    return `${JSON.stringify(jupyterNotebook({ name, cells, imported: live.imported, facts }), null, 1)}\n`;
  }
  const comments = options.comments ? await readComments(live.directory) : [];
  const blocks = blocksOf({ name, readme: await readmeOf(live.directory), cells, comments }, options);
  return format === 'html' ? htmlOf(name, blocks) : markdownOf(blocks);
}
