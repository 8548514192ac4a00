// `svc import`: a snapshot, a Jupyter notebook or a script becomes a notebook directory, with a report of what became of it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { Refusal } from '../../errors/index.ts';
import {
  bringFiles,
  createNotebook,
  filesBeside,
  importedName,
  importSnapshot,
  type NamedFile,
  newNotebookOf,
  notebookDirectory,
  type ReadNotebook,
  readForeign,
  sizeInWords,
  writeReport,
} from '../../notebook/index.ts';
import type { Offline } from '../../server/offline.ts';
import { loadSettings } from '../../settings/index.ts';
import { asUsage, UsageError } from '../failure.ts';
import { interruptible } from '../interrupt.ts';
import { withOffline } from './here.ts';
import { terminalAsk } from './terminalAsk.ts';

export interface ImportOptions {
  readonly out?: string;
  readonly checkDeps?: boolean;
  /** Which of the files beside it that cells name come along; not said: asked, where somebody sits. */
  readonly data?: string;
}

const choices = ['none', 'small', 'all'];

export async function importNotebook(file: string, options: ImportOptions): Promise<void> {
  const source = path.resolve(file);
  const found = await fs.stat(source).catch(() => undefined);
  if (!found?.isFile()) throw new UsageError(`${source} is not a file`);
  const { data } = options;
  if (data !== undefined && !choices.includes(data))
    throw new UsageError(`--data takes ${choices.join(', ')}; ${JSON.stringify(data)} is none of them`);
  const { dir: parent, base: name } = path.parse(
    path.resolve(options.out ?? path.join(path.dirname(source), importedName(source))),
  );
  const work = source.endsWith('.zip')
    ? takeSnapshot(source, parent, name)
    : withOffline((offline) =>
        takeForeign(offline, source, { parent, name, checkDeps: options.checkDeps ?? false, data }),
      );
  await work.catch((error: unknown) => {
    if (error instanceof Refusal && error.kind === 'conflict')
      throw new UsageError(`the notebook '${name}' already exists in ${parent}; name another place with --out`);
    asUsage(error);
  });
}

async function takeSnapshot(source: string, parent: string, name: string): Promise<void> {
  const directory = await notebookDirectory(parent, name);
  const { notebookStorageDir: storage } = loadSettings({ env: process.env, cwd: process.cwd() }).settings;
  const root = `${parent}${path.sep}`.startsWith(`${storage}${path.sep}`) ? storage : parent;
  const report = await interruptible((signal) => importSnapshot(source, { directory, name: undefined, root, signal }));
  process.stdout.write(`imported ${directory}\nartifacts imported: ${report.imported_artifacts}\n`);
  if (report.replaced_notebook_id !== null) process.stdout.write(`replaced id: ${report.replaced_notebook_id}\n`);
  process.stdout.write(`cells not carried: ${report.by_reference_cells.length}\n`);
}

async function takeForeign(
  offline: Offline,
  source: string,
  { parent, name, checkDeps, data }: { parent: string; name: string; checkDeps: boolean; data: string | undefined },
): Promise<void> {
  const converted = await readForeign(
    offline.foreign,
    source,
    await fs.readFile(source, 'utf8'),
    await filesBeside(source),
  );
  if (!/\.(ipynb|py)$/i.test(source)) warn(converted, `${path.basename(source)} was read as a Jupyter notebook.`);
  const [version] = (await offline.pythons()).map((one) => one.version);
  if (version === undefined) throw new UsageError('no Python was found on this machine; `svc doctor` says what to do');
  const wanted = newNotebookOf(converted, { name, pythonVersion: version });
  // Short enough to be waited for: a notebook is there whole, or not at all.
  const notebook = await interruptible(async () => createNotebook(parent, wanted));
  if (checkDeps) {
    const { environment } = await offline.open(notebook.directory);
    const { sync_error } = environment.state();
    if (sync_error !== null)
      warn(converted, `The packages cannot be installed: ${sync_error.replace(/\s*\n\s*/g, ' ')}`);
  }
  const files = await withData(converted, path.dirname(source), notebook.directory, data);
  const { report_path } = await writeReport(notebook, path.basename(source), { ...converted, files });
  const lines = [...linesOf(converted.report), ...fileLines(files), ...warningLines(converted.report)];
  process.stdout.write(`${[`imported ${notebook.directory}`, ...lines, `report: ${report_path}`].join('\n')}\n`);
}

/** Brings the files along that are wanted. */
async function withData(
  converted: ReadNotebook,
  from: string,
  directory: string,
  wish: string | undefined,
): Promise<NamedFile[]> {
  const offered = converted.files.filter(({ standing }) => standing === 'beside');
  const chosen = wish ?? (offered.length === 0 ? 'none' : await askedFor(offered));
  const wanted = offered.filter(({ is_large }) => chosen === 'all' || (chosen === 'small' && !is_large));
  const left = await bringFiles(
    from,
    wanted.map((file) => file.path),
    directory,
  );
  for (const { path: place, reason } of left) warn(converted, `${place} could not be brought along: ${reason}`);
  const isBrought = (file: NamedFile): boolean => wanted.includes(file) && !left.some((one) => one.path === file.path);
  return converted.files.map((file) => (isBrought(file) ? { ...file, standing: 'brought' } : file));
}

/** What somebody at the terminal says; where nobody sits, nothing is copied unasked. */
async function askedFor(offered: readonly NamedFile[]): Promise<string> {
  const ask = terminalAsk();
  if (!ask) return 'none';
  const listed = offered.map(
    (file) => `  ${file.path} (${sizeInWords(file.size ?? 0)}${file.is_large ? ', large' : ''})\n`,
  );
  const prompt = `Cells name files that lie beside the notebook:\n${listed.join('')}Bring them along? [Y: all but large ones, a: all, n: none] `;
  const answer = await ask({ kind: 'line', prompt }, new AbortController().signal);
  if (!('text' in answer)) return 'none';
  const said = answer.text.trim().toLowerCase();
  return said === '' || said.startsWith('y') ? 'small' : said.startsWith('a') ? 'all' : 'none';
}

function fileLines(files: readonly NamedFile[]): string[] {
  const line = (words: string, standing: NamedFile['standing']): string[] => {
    const all = files.filter((file) => file.standing === standing);
    const named = all.map(({ path: place, size }) => (size === null ? place : `${place} (${sizeInWords(size)})`));
    return all.length === 0 ? [] : [`${words}: ${named.join(', ')}`];
  };
  return [
    ...line('files brought along', 'brought'),
    ...line('files left beside the notebook (--data small or all brings them)', 'beside'),
    ...line('files not found', 'missing'),
  ];
}

function warn({ report }: ReadNotebook, warning: string): void {
  report.warnings.push(warning);
}

const linesOf = (report: ReadNotebook['report']): string[] => [
  `code cells: ${report.code_cells}`,
  `markdown cells: ${report.markdown_cells}`,
  `suppressed outputs: ${report.suppressed_outputs}`,
  `magics translated: ${report.translated_magics.length}, dropped: ${report.dropped_magics.length}`,
  `shell commands dropped: ${report.dropped_shells.length}`,
  `dependencies captured: ${report.captured_deps.join(', ') || 'none'}`,
  `skipped cells: ${report.skipped_cells.length}`,
];

const warningLines = ({ warnings }: ReadNotebook['report']): string[] =>
  warnings.map((warning) => `warning: ${warning}`);
