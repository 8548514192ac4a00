// A notebook for other programs: a Jupyter notebook, and a plain Python script in the order in which cells run.
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

/** nbformat 4.5. Texts and pictures that the cells show go along. */
export function jupyterNotebook({ name, cells }: Omit<ScriptSource, 'order'>): object {
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { title: name, kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' } },
    cells: cells.map((cell) => {
      const common = { id: cell.id.slice(0, 64), metadata: {}, source: cell.source.trimEnd() };
      if (cell.language === 'markdown') return { ...common, cell_type: 'markdown' };
      if (cell.language !== 'python') return { ...common, cell_type: 'raw', metadata: { svc_language: cell.language } };
      return { ...common, cell_type: 'code', execution_count: null, outputs: outputsOf(cell) };
    }),
  };
}

function outputsOf({ display_outputs, console_stdout, console_stderr }: CellRecord): object[] {
  const stream = (name: string, text: string): object[] => (text === '' ? [] : [{ output_type: 'stream', name, text }]);
  const shown = display_outputs.map((display) => ({
    output_type: 'display_data',
    metadata: {},
    data: mimeBundle(display),
  }));
  return [...stream('stdout', console_stdout), ...stream('stderr', console_stderr), ...shown];
}

function mimeBundle(display: CellRecord['display_outputs'][number]): Record<string, unknown> {
  const { markdown_text, inline_data_url, preview, text } = display;
  if (typeof markdown_text === 'string') return { 'text/markdown': markdown_text };
  const image = /^data:(image\/[\w+.-]+);base64,(.*)$/s.exec(String(inline_data_url ?? ''));
  if (image?.[1]) return { [image[1]]: image[2] };
  return {
    'text/plain':
      typeof text === 'string' ? text : typeof preview === 'string' ? preview : JSON.stringify(preview ?? null),
  };
}
