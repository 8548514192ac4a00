// A notebook of the corpus: a Python file whose cells begin with `# %%`, as Jupyter's file. What is no Python stands behind `# `:
// magics (`# %time`), commands (`# !ls`), questions (`# len?`), and all of a cell that begins with the magic of another language.

interface Cell {
  readonly kind: 'code' | 'markdown';
  readonly tags: readonly string[];
  readonly lines: string[];
}

/** Cell magics whose body is no Python. */
const foreign = /^# %%(writefile|bash|sh|html|latex|markdown|javascript)\b/;

export function jupyterFile(text: string): object {
  const cells: Cell[] = [];
  for (const line of text.split('\n')) {
    const mark = /^# %%(?: (.*))?$/.exec(line);
    if (mark) cells.push(newCell(mark[1] ?? ''));
    else cells.at(-1)?.lines.push(line);
  }
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
      language_info: { name: 'python' },
    },
    cells: cells.map((cell, index) => {
      const common = { id: `cell-${index}`, metadata: { tags: cell.tags }, source: sourceOf(cell) };
      return cell.kind === 'markdown'
        ? { ...common, cell_type: 'markdown' }
        : { ...common, cell_type: 'code', execution_count: null, outputs: [] };
    }),
  };
}

function newCell(about: string): Cell {
  const tags = /tags=(\[.*\])/.exec(about)?.[1];
  return {
    kind: about.includes('[markdown]') ? 'markdown' : 'code',
    tags: tags === undefined ? [] : JSON.parse(tags),
    lines: [],
  };
}

function sourceOf({ kind, lines }: Cell): string {
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const isPlain = kind === 'code' && !foreign.test(first);
  const source = lines.map((line) =>
    isPlain ? line.replace(/^(\s*)# (?=[%!]|[\w.]+\?{1,2}$)/, '$1') : line.replace(/^# ?/, ''),
  );
  return source.join('\n').trim();
}
