// A notebook as a plain Python script, in the order in which its cells run.
import type { CellRecord } from '../../protocol/index.ts';

export interface ScriptSource {
  readonly name: string;
  readonly cells: readonly CellRecord[];
  /** Cells that run, upstream before downstream. */
  readonly order: readonly string[];
}

export function pythonScript({ name, cells, order }: ScriptSource): string {
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  const inOrder = order.flatMap((id) => byId.get(id) ?? []).filter(({ language }) => language !== 'markdown');
  const texts = cells.filter(({ language }) => language === 'markdown');
  // Texts stand before the first cell below them that runs.
  const sequence = inOrder.flatMap((cell) => [...texts.filter((text) => isJustAbove(cells, text, cell)), cell]);
  const left = texts.filter((text) => !sequence.includes(text));
  const parts = [...sequence, ...left].map((cell) => scriptPart(cell));
  return [`# ${name.replace(/\s+/g, ' ')}`, ...parts].join('\n\n').concat('\n');
}

function isJustAbove(cells: readonly CellRecord[], text: CellRecord, cell: CellRecord): boolean {
  const below = cells.slice(cells.indexOf(text) + 1).find(({ language }) => language !== 'markdown');
  return below === cell;
}

function scriptPart({ id, language, source }: CellRecord): string {
  if (language === 'markdown') return `# %% [markdown]\n${commented(source)}`;
  if (language === 'python') return `# %% ${id}\n${source.trimEnd()}`;
  return `# %% ${id} (${language}: not Python, left as it is)\n${commented(source)}`;
}

const commented = (source: string): string =>
  source
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '#' : `# ${line}`))
    .join('\n');
