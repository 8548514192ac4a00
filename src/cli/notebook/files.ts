// `svc new`, `svc validate`, `svc export`, `svc import`: notebooks as files.
import { createWriteStream, existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import {
  blocksOf,
  bundleMembers,
  createNotebook,
  createOrComplete,
  discoverNotebooks,
  htmlOf,
  importSnapshot,
  jupyterNotebook,
  type Member,
  markdownOf,
  mountSchema,
  newNotebookOf,
  notebookDirectory,
  pythonScript,
  readmeOf,
  setMounts,
  snapshotMembers,
  writeReport,
  zipOf,
} from '../../notebook/index.ts';
import type { Offline } from '../../server/offline.ts';
import { UsageError } from '../failure.ts';
import { type AnswerOptions, answer, reasonOf } from './answers.ts';
import { openHere } from './here.ts';
import { notebookIn } from './target.ts';

async function withOffline<T>(work: (offline: Offline) => Promise<T>): Promise<T> {
  const offline = await openHere();
  try {
    return await work(offline);
  } finally {
    await offline.close();
  }
}

export interface ScaffoldOptions {
  readonly parent: string;
  readonly python?: string | undefined;
  /** False with `--no-env`. */
  readonly env: boolean;
  /** False with `--no-git`. */
  readonly git?: boolean | undefined;
  /** True without a name. */
  readonly projectMount?: string | boolean | undefined;
}

export type NewOptions = AnswerOptions & ScaffoldOptions;

export const newNotebook = (name: string, options: NewOptions): Promise<void> =>
  answer(options, async () => {
    const directory = await scaffold(name, options);
    const json = { notebook_dir: directory, name, environment_initialized: options.env };
    return { json, lines: [`created ${directory}`] };
  });

/** Gives the directory of the new notebook. */
export const scaffold = (
  name: string,
  { parent, python, env, git = true, projectMount }: ScaffoldOptions,
): Promise<string> =>
  withOffline(async (offline) => {
    const versions = (await offline.pythons()).map(({ version }) => version);
    const version = python ?? versions[0];
    if (version === undefined || !versions.includes(version))
      throw new UsageError(`Python ${version ?? '3'} is not installed here; there is ${versions.join(', ') || 'none'}`);
    const wanted = { name, pythonVersion: version, ignoreFile: git };
    const notebook = await createOrComplete(path.resolve(parent), wanted);
    if (projectMount !== undefined && projectMount !== false) {
      const name = projectMount === true ? 'project' : projectMount;
      const uri = pathToFileURL(path.resolve(parent)).href;
      const mount = mountSchema.safeParse({ name, uri, mode: 'ro', pin: 'project' });
      if (!mount.success) throw new UsageError(`--project-mount: ${name} is not a name that a cell can use`);
      await setMounts(notebook, [...notebook.mounts.filter((one) => one.name !== name), mount.data]);
    }
    if (env) await offline.open(notebook.directory);
    return notebook.directory;
  });

export const validateNotebook = (directory: string, options: AnswerOptions): Promise<void> => {
  const place = notebookIn(directory);
  return answer(options, () =>
    withOffline(async (offline) => {
      const opened = await offline.open(place, { sync: false }).catch((error: unknown) => reasonOf(error));
      if (typeof opened === 'string') {
        const errors = [{ code: 'parse_failed', message: opened }];
        const summary = { cells: 0, errors: 1, warnings: 0 };
        const json = { notebook: place, valid: false, errors, cells: [], summary };
        return { json, lines: [`error: ${opened}`], failed: true };
      }
      const { live } = opened;
      const { error } = live.dag();
      const errors = error === undefined ? [] : [{ code: 'dag_build_failed', message: error }];
      const cells = live
        .cellRecords()
        .map(({ id, language, defines, references, annotation_diagnostics: diagnostics }) => ({
          id,
          language,
          defines,
          references,
          diagnostics,
        }));
      const found = cells.flatMap(({ diagnostics }) => diagnostics);
      const count = (severity: string): number => found.filter((one) => Object(one).severity === severity).length;
      const summary = { cells: cells.length, errors: errors.length + count('error'), warnings: count('warn') };
      const valid = errors.length === 0;
      const lines = [
        ...errors.map(({ message }) => `error: ${message}`),
        ...cells.flatMap(({ id, diagnostics }) =>
          diagnostics.map((one) => `${id}  ${Object(one).severity} ${Object(one).code}: ${Object(one).message}`),
        ),
        `${summary.cells} cells, ${summary.errors} errors, ${summary.warnings} warnings`,
      ];
      return { json: { notebook: place, valid, errors, cells, summary }, lines, failed: !valid };
    }),
  );
};

export interface ExportOptions {
  readonly to: string;
  readonly out?: string;
  readonly include: string;
  readonly cells: string;
  readonly force?: boolean;
  readonly includeInactiveVariants?: boolean;
  readonly appView?: boolean;
  /** False with `--no-console`. */
  readonly console: boolean;
}

export async function exportNotebook(directory: string, options: ExportOptions): Promise<void> {
  const place = notebookIn(directory);
  const { to, out, include } = options;
  const kinds = ['markdown', 'html', 'snapshot', 'zip', 'ipynb', 'script'];
  if (!kinds.includes(to)) throw new UsageError(`--to: one of ${kinds.join(', ')}`);
  if (include !== 'all' && include !== 'selected' && include !== 'none')
    throw new UsageError('--include: all, selected or none');
  const isZip = to === 'snapshot' || to === 'zip';
  if (isZip && out === undefined) throw new UsageError(`a ${to} needs --out FILE`);
  if (isZip && out !== undefined && !options.force && (await sizeOf(out)) > 0)
    throw new UsageError(`${out} is there already; --force replaces it`);
  await withOffline(async (offline) => {
    const { live, environment } = await offline.open(place);
    const hash = environment.state().lockfile_hash;
    if (isZip) {
      const selected = options.cells.split(',').filter((id) => id !== '');
      const unknown = selected.filter((id) => !live.session().facts.has(id));
      if (unknown.length > 0) throw new Error(`No such cell(s) in this notebook: ${unknown.join(', ')}`);
      const members =
        to === 'zip' ? await bundleMembers(live, hash) : await snapshotMembers(live, hash, include, selected);
      await writeZip(members, out ?? '');
      const carried = members.filter(({ name }) => name.startsWith('artifacts/')).length;
      process.stderr.write(`${out}: ${live.notebook().cells.length} cells, ${carried} artifacts\n`);
      return;
    }
    const { name } = live.notebook();
    const cells = live.cellRecords();
    const readme = await readmeOf(place);
    const page = {
      appView: options.appView ?? false,
      inactiveVariants: options.includeInactiveVariants ?? false,
      console: options.console,
    };
    const blocks = blocksOf({ name, readme, cells }, page);
    const text =
      to === 'html'
        ? htmlOf(name, blocks)
        : to === 'ipynb'
          ? `${JSON.stringify(jupyterNotebook({ name, cells }), null, 1)}\n`
          : to === 'script'
            ? pythonScript({ name, cells, order: live.dag().topological_order })
            : markdownOf(blocks);
    if (out === undefined) process.stdout.write(text);
    else await fs.writeFile(out, text);
  });
}

async function writeZip(members: readonly Member[], out: string): Promise<void> {
  const part = `${out}.part`;
  try {
    await pipeline(await zipOf(members), createWriteStream(part));
    await fs.rename(part, out);
  } catch (error) {
    await fs.rm(part, { force: true });
    throw error;
  }
}

const sizeOf = async (file: string): Promise<number> => (await fs.stat(file).catch(() => ({ size: 0 }))).size;

export async function importNotebook(file: string, options: { out?: string }): Promise<void> {
  const source = path.resolve(file);
  if (!existsSync(source)) throw new UsageError(`${source} does not exist`);
  const stem = path
    .basename(source)
    .replace(/\.(ipynb|py|zip)$/i, '')
    .replace(/\.snapshot$/i, '');
  const parent = options.out === undefined ? path.dirname(source) : path.dirname(path.resolve(options.out));
  const name = options.out === undefined ? stem : path.basename(path.resolve(options.out));
  if (source.endsWith('.zip')) {
    const directory = await notebookDirectory(parent, name);
    const used = new Set((await discoverNotebooks(parent)).map(({ notebook_id }) => notebook_id));
    const report = await importSnapshot(source, { directory, name: undefined, usedIds: used });
    process.stdout.write(`imported ${directory}\nartifacts imported: ${report.imported_artifacts}\n`);
    if (report.replaced_notebook_id !== null) process.stdout.write(`replaced id: ${report.replaced_notebook_id}\n`);
    process.stdout.write(`cells not carried: ${report.by_reference_cells.length}\n`);
    return;
  }
  await withOffline(async ({ foreign, pythons }) => {
    const text = await fs.readFile(source, 'utf8');
    const converted = source.endsWith('.py') ? await foreign.script(text) : await foreign.jupyter(jsonOf(text));
    const [version] = (await pythons()).map((one) => one.version);
    if (version === undefined) throw new UsageError('no Python was found on this machine');
    const notebook = await createNotebook(parent, newNotebookOf(converted, { name, pythonVersion: version }));
    const { report_path } = await writeReport(notebook, path.basename(source), converted);
    const { report } = converted;
    const lines = [
      `imported ${notebook.directory}`,
      `code cells: ${report.code_cells}`,
      `markdown cells: ${report.markdown_cells}`,
      `magics translated: ${report.translated_magics.length}, dropped: ${report.dropped_magics.length}`,
      `shell commands dropped: ${report.dropped_shells.length}`,
      `dependencies captured: ${report.captured_deps.join(', ') || 'none'}`,
      ...report.warnings.map((warning) => `warning: ${warning}`),
      `report: ${report_path}`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  });
}

function jsonOf(text: string) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the file is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
