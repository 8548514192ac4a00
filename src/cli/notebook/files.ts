// `svc new` and `svc validate`: a notebook directory is made, and looked at without running anything.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createOrComplete, mountSchema, setMounts } from '../../notebook/index.ts';
import { asUsage, reasonOf, UsageError } from '../failure.ts';
import { interruptible } from '../interrupt.ts';
import { type AnswerOptions, answer } from './answers.ts';
import { withOffline } from './here.ts';
import { notebookIn } from './target.ts';

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
    const found = await offline.pythons(({ version }) => version === (python ?? version));
    const versions = found.map(({ version }) => version);
    const version = python ?? versions[0];
    if (version === undefined || !versions.includes(version))
      throw new UsageError(`Python ${version ?? '3'} is not installed here; there is ${versions.join(', ') || 'none'}`);
    const wanted = { name, pythonVersion: version, ignoreFile: git };
    const notebook = await interruptible(async () => createOrComplete(path.resolve(parent), wanted)).catch(asUsage);
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
      const valid = summary.errors === 0;
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
