// A notebook as a plain Python script, in the order in which its cells run. What only IPython understands is run by it.
import { kindOf } from '../../cellLanguages.ts';
import { notebookOrder } from '../../notebookOrder.ts';
import type { CellRecord } from '../../protocol/index.ts';

export interface ScriptSource {
  readonly name: string;
  readonly cells: readonly CellRecord[];
  /** Cells that run. */
  readonly running: readonly string[];
}

export function pythonScript({ name, cells, running }: ScriptSource): string {
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  const inOrder = notebookOrder(cells, running)
    .flatMap((id) => byId.get(id) ?? [])
    .filter(({ language }) => kindOf(language) !== 'text');
  const texts = cells.filter(({ language }) => kindOf(language) === 'text');
  // Texts stand before the first cell below them that runs.
  const sequence = inOrder.flatMap((cell) => [...texts.filter((text) => isJustAbove(cells, text, cell)), cell]);
  const left = texts.filter((text) => !sequence.includes(text));
  const parts = [...sequence, ...left].map((cell) => scriptPart(cell));
  const python = inOrder.filter(({ language }) => language === 'python');
  const head = [
    ...(python.some(usesIpython) ? [shellLines] : []),
    ...(python.some(({ references }) => references.includes('display')) ? [displayLines] : []),
  ];
  return [`# ${name.replace(/\s+/g, ' ')}`, ...head, ...parts].join('\n\n').concat('\n');
}

const shellLines = `# Cells with lines of IPython, or with await outside of functions, are run by it: pip install ipython
from IPython.core.interactiveshell import InteractiveShell

ipython = InteractiveShell.instance(user_ns=globals())
get_ipython = lambda: ipython`;

const displayLines = `try:
    from IPython.display import display
except ImportError:
    display = print`;

/** Also of some that are plain Python: those run the same way there. */
export const usesIpython = ({ source }: Pick<CellRecord, 'source'>): boolean =>
  source.split('\n').some((line) => lineOfIpython.test(line.trimEnd())) || callOfIpython.test(source);

const lineOfIpython = /^[ \t]*[%!?]|^[^#]*=[ \t]*[!%]\w|\?[ \t]*;?$/;
const callOfIpython = /\bget_ipython\b|\bawait\b|\basync (for|with)\b/;

function shellCall(source: string): string {
  const text = source.trimEnd();
  const isPlain = !text.includes("'''") && !/[\\']$/.test(text);
  return `ipython.run_cell(${isPlain ? `r'''${text}'''` : JSON.stringify(text)}).raise_error()`;
}

function isJustAbove(cells: readonly CellRecord[], text: CellRecord, cell: CellRecord): boolean {
  const below = cells.slice(cells.indexOf(text) + 1).find(({ language }) => kindOf(language) !== 'text');
  return below === cell;
}

function scriptPart(cell: CellRecord): string {
  const { id, language, source } = cell;
  if (kindOf(language) === 'text') return `# %% [markdown]\n${commented(source)}`;
  if (language === 'python' && usesIpython(cell)) return `# %% ${id}\n${shellCall(source)}`;
  if (language === 'python') return `# %% ${id}\n${source.trimEnd()}`;
  return `# %% ${id} (${language}: not Python, left as it is)\n${commented(source)}`;
}

const commented = (source: string): string =>
  source
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '#' : `# ${line}`))
    .join('\n');
