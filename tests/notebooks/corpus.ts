// Notebooks to run: our own, or the .ipynb files of any folder with the files that lie beside them.
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { jupyterFile } from './percentCells.ts';

export const ownCorpus = fileURLToPath(new URL('./corpus', import.meta.url));

export interface ForeignFile {
  readonly name: string;
  readonly jupyter: object;
  /** Of its code cells, in order. */
  readonly cells: readonly { readonly source: string; readonly mayRaise: boolean }[];
}

/** Those whose names hold `only`. */
export async function readCorpus(folder: string, only = ''): Promise<ForeignFile[]> {
  const names = (await fs.readdir(folder)).filter((name) => /\.(ipynb|py)$/.test(name) && name.includes(only)).sort();
  // Python files beside notebooks of others are modules that they import.
  const wanted = folder === ownCorpus ? names : names.filter((name) => name.endsWith('.ipynb'));
  return Promise.all(
    wanted.map(async (file) => {
      const text = await fs.readFile(path.join(folder, file), 'utf8');
      const jupyter: JupyterFile = file.endsWith('.py') ? jupyterFile(text) : JSON.parse(text);
      return { name: file.replace(/\.\w+$/, ''), jupyter, cells: codeCells(jupyter) };
    }),
  );
}

interface JupyterFile {
  readonly cells?: readonly {
    readonly cell_type?: string;
    readonly source?: string | readonly string[];
    readonly metadata?: { readonly tags?: readonly string[] };
  }[];
}

const codeCells = ({ cells = [] }: JupyterFile): ForeignFile['cells'] =>
  cells
    .filter(({ cell_type }) => cell_type === 'code')
    .map(({ source = '', metadata }) => ({
      source: [source].flat().join(''),
      mayRaise: metadata?.tags?.includes('raises-exception') ?? false,
    }));

/** Copies what lies beside notebooks. */
export async function copyFilesBeside(folder: string, to: string): Promise<void> {
  await fs.cp(folder, to, {
    recursive: true,
    filter: (place) => place === folder || (!place.endsWith('.ipynb') && !path.basename(place).startsWith('.')),
  });
}
