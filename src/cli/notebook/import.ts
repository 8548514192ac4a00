// `svc import`: a snapshot, a Jupyter notebook or a script becomes a notebook directory, with a report of what became of it.
import fs from 'node:fs/promises';
import path from 'node:path';
import type { ForeignNotebook } from '../../engine/index.ts';
import { parseRequirement, readList, readProject } from '../../environments/index.ts';
import { Refusal } from '../../errors/index.ts';
import {
  createNotebook,
  importedName,
  importSnapshot,
  newNotebookOf,
  notebookDirectory,
  readForeign,
  writeReport,
} from '../../notebook/index.ts';
import type { Offline } from '../../server/offline.ts';
import { loadSettings } from '../../settings/index.ts';
import { asUsage, reasonOf, UsageError } from '../failure.ts';
import { interruptible } from '../interrupt.ts';
import { withOffline } from './here.ts';

export interface ImportOptions {
  readonly out?: string;
  readonly checkDeps?: boolean;
}

export async function importNotebook(file: string, options: ImportOptions): Promise<void> {
  const source = path.resolve(file);
  const found = await fs.stat(source).catch(() => undefined);
  if (!found?.isFile()) throw new UsageError(`${source} is not a file`);
  const { dir: parent, base: name } = path.parse(
    path.resolve(options.out ?? path.join(path.dirname(source), importedName(source))),
  );
  const work = source.endsWith('.zip')
    ? takeSnapshot(source, parent, name)
    : withOffline((offline) => takeForeign(offline, source, { parent, name, checkDeps: options.checkDeps ?? false }));
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
  { parent, name, checkDeps }: { readonly parent: string; readonly name: string; readonly checkDeps: boolean },
): Promise<void> {
  const converted = await readForeign(offline.foreign, source, await fs.readFile(source, 'utf8'));
  await addListed(converted, path.dirname(source));
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
  const { report_path } = await writeReport(notebook, path.basename(source), converted);
  process.stdout.write(
    `${[`imported ${notebook.directory}`, ...linesOf(converted.report), `report: ${report_path}`].join('\n')}\n`,
  );
}

function warn({ report }: ForeignNotebook, warning: string): void {
  report.warnings.push(warning);
}

const linesOf = (report: ForeignNotebook['report']): string[] => [
  `code cells: ${report.code_cells}`,
  `markdown cells: ${report.markdown_cells}`,
  `suppressed outputs: ${report.suppressed_outputs}`,
  `magics translated: ${report.translated_magics.length}, dropped: ${report.dropped_magics.length}`,
  `shell commands dropped: ${report.dropped_shells.length}`,
  `dependencies captured: ${report.captured_deps.join(', ') || 'none'}`,
  `skipped cells: ${report.skipped_cells.length}`,
  ...report.warnings.map((warning) => `warning: ${warning}`),
];

/** Lists beside the file come before what its cells import: they say which version. */
async function addListed({ packages, report }: ForeignNotebook, folder: string): Promise<void> {
  const list = await fs.readFile(path.join(folder, 'requirements.txt'), 'utf8').catch(() => '');
  const project = await readProject(folder);
  try {
    const { requirements } = await readList({ requirements: list, environment_yaml: null });
    const all = [...requirements, ...[...project.requirements, ...packages].map((one) => parseRequirement(one))];
    // The first of a name wins.
    const isFirst = ({ name }: { readonly name: string }, index: number): boolean =>
      all.findIndex((one) => one.name === name) === index;
    const wanted = all.filter(isFirst).map(({ text }) => text);
    packages.splice(0, packages.length, ...wanted);
    report.captured_deps.splice(0, report.captured_deps.length, ...wanted);
  } catch (error) {
    report.warnings.push(`The list of packages beside the file was not used: ${reasonOf(error)}`);
  }
}
