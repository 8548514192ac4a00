// What each action does to a notebook's environment, and how it is named while it does.
import path from 'node:path';
import { readOwnFile } from '../files/index.ts';
import type { Addition, PythonBackend, Work } from './backend.ts';
import { quoted } from './command.ts';
import { replaceFile } from './files.ts';
import type { ImportedList } from './importFiles.ts';
import type { EnvironmentAction } from './jobs.ts';
import {
  dependencyOf,
  projectFileName,
  runtimeRequirements,
  withNameApart,
  withPython,
  withRequirements,
} from './projectFile.ts';
import type { RTools } from './renv.ts';
import type { Undo } from './undo.ts';
import type { Shell } from './uv.ts';

export type JobRequest =
  | { readonly action: 'sync' }
  | ({ readonly action: 'add' } & Addition)
  | { readonly action: 'remove'; readonly name: string }
  | { readonly action: 'import'; readonly list: ImportedList }
  | { readonly action: 'change_python'; readonly version: string }
  | { readonly action: 'r_init' }
  | { readonly action: 'r_add'; readonly name: string };

export interface OperationParts {
  readonly directory: string;
  readonly backend: PythonBackend;
  readonly r: RTools;
  readonly undo: Undo;
  readonly shell: Shell;
  /** The work of uv with the interpreter that the project asks for now. */
  readonly work: () => Promise<Work>;
}

export interface Operation {
  readonly action: EnvironmentAction;
  /** In sentences about it. */
  readonly label: string;
  readonly command: string;
  /** As a shell would take it, where that differs: what is kept of it. */
  readonly logged?: string;
  readonly package: string | null;
  readonly language: 'python' | 'r';
  /** What is told of an import beside its job. */
  readonly imported?: { readonly imported_count: number; readonly warnings: readonly string[] };
  readonly perform: (parts: OperationParts) => Promise<void>;
}

/** `minor`: the version of Python that a sync is for. */
export function operationFor(request: JobRequest, minor: string): Operation {
  const python = { action: request.action, language: 'python', package: null } as const;
  switch (request.action) {
    case 'sync':
      return {
        ...python,
        label: 'sync',
        command: minor === '' ? 'uv sync' : `uv sync --python ${minor}`,
        perform: async ({ backend, work }) => backend.sync(await work()),
      };
    case 'add':
      return {
        ...python,
        label: `add ${request.requirements.join(' ')}`,
        command: `uv add ${request.requirements.join(' ')}`,
        logged: quoted(['uv', 'add', ...request.requirements]),
        package: request.requirements.join(' '),
        async perform({ directory, backend, work }) {
          const names = request.requirements.map((requirement) => dependencyOf(requirement).name);
          await editProject(directory, (text) => withNameApart(text, names));
          await backend.add(await work(), request);
        },
      };
    case 'remove':
      return {
        ...python,
        label: `remove ${request.name}`,
        command: `uv remove ${request.name}`,
        package: request.name,
        perform: async ({ backend, work }) => backend.remove(await work(), request.name),
      };
    case 'import':
      return {
        ...python,
        label: 'environment import',
        command: 'uv sync',
        imported: { imported_count: importedRequirements(request.list).length, warnings: request.list.warnings },
        async perform({ directory, backend, work }) {
          await editProject(directory, (text) => {
            const names = request.list.requirements.map(({ name }) => name);
            return withNameApart(withRequirements(text, importedRequirements(request.list)), names);
          });
          await backend.sync(await work());
        },
      };
    case 'change_python':
      return {
        ...python,
        label: `change to Python ${request.version}`,
        command: `uv sync (python ${request.version})`,
        async perform({ directory, backend, undo, work }) {
          await editProject(directory, (text) => withPython(text, request.version));
          await undo.setAsideVenv();
          await backend.sync(await work());
        },
      };
    case 'r_init':
      return {
        ...python,
        language: 'r',
        label: 'R setup',
        command: 'Rscript renv::init',
        perform: ({ directory, r, shell }) => r.init(directory, shell),
      };
    case 'r_add':
      return {
        ...python,
        language: 'r',
        label: `add ${request.name}`,
        command: `Rscript renv::install ${request.name}`,
        package: request.name,
        perform: ({ directory, r, shell }) => r.add(directory, request.name, shell),
      };
  }
}

/** Whether it brings a package from elsewhere than an index. */
export function namesAddress(request: JobRequest): boolean {
  if (request.action === 'import') return request.list.requirements.some(({ hasAddress }) => hasAddress);
  return request.action === 'add' && request.hasAddress === true;
}

/** A change in words that wait with it: `add pandas`. */
export const labelOfRequest = (request: JobRequest): string => operationFor(request, '').label;

/** The list as it is written down: what the runtime needs is never left out. */
export function importedRequirements({ requirements }: ImportedList): string[] {
  const named = new Set(requirements.map(({ name }) => name));
  const missing = runtimeRequirements.filter((text) => !named.has(dependencyOf(text).name));
  return [...requirements.map(({ text }) => text), ...missing];
}

async function editProject(directory: string, edit: (text: string) => string): Promise<void> {
  const file = path.join(directory, projectFileName);
  const before = String(await readOwnFile(file));
  const after = edit(before);
  if (after !== before) await replaceFile(file, after);
}
