// Cells that run on a worker: which one decides for a cell, and what stands in for the runtime of this machine.
import path from 'node:path';
import { can } from '../../cellLanguages.ts';
import { importedModules, type Job, type ReadFile } from '../../runtimes/index.ts';
import type { WorkerDefinition, Workers } from '../../workers/index.ts';
import { identityOf } from '../../workers/index.ts';
import { localWorker, mountsOf, resolveMounts, resolveWorker } from '../annotations/index.ts';
import type { Notebook } from '../document/index.ts';
import { type LocalModule, localModules, ModulesTooLarge, moduleNamed } from '../files/index.ts';
import { CellRefused, type CellRuntime, type CellWork, type Lane } from './language.ts';

export interface RemoteParts {
  readonly workers: Pick<Workers, 'run' | 'environmentOf' | 'slotsOf'>;
  readonly find: (own: readonly WorkerDefinition[], name: string) => WorkerDefinition | undefined;
  /** The notebook's lock for a worker that installs it; null when there is none. */
  readonly environment: (language: 'python' | 'r') => Promise<object | null>;
  /** Whose run it is. */
  readonly caller: () => { readonly principal: string | null; readonly tenant: string | null };
  /** Whether somebody sits before the notebook, or it is run from end to end. */
  readonly origin: 'notebook' | 'run';
}

export interface RemoteCells {
  /** What runs the cell elsewhere; undefined when it runs here. Throws CellRefused when its worker cannot be used. */
  engage(work: CellWork, language: 'python' | 'r'): CellRuntime | undefined;
  /** Whether a worker runs the cell, as far as is known before it is engaged. */
  isElsewhere(work: CellPlace): boolean;
  /**
   * In what the cell would run on its worker, to be asked; undefined for one that runs here, or in nothing but the
   * notebook's locked environment, which its key holds.
   */
  environmentOf(work: CellPlace): { readonly worker: string; ask(): Promise<string | undefined> } | undefined;
  /** The cluster that the cell is bound for; undefined for this machine and for plain workers. */
  laneOf(work: CellPlace): Promise<Lane | undefined>;
  /** What enters the key of a result about where it is computed. */
  identity(notebook: Notebook, worker: string): string;
}

type CellPlace = Pick<CellWork, 'notebook' | 'cell' | 'annotations'>;

export function remoteCells({ workers, find, environment, caller, origin }: RemoteParts): RemoteCells {
  /** The worker that runs the cell; undefined for this machine. */
  function workerOf({ notebook, cell, annotations }: CellPlace): WorkerDefinition | undefined {
    if (!can(cell.language, 'run elsewhere')) return undefined;
    const { value: name } = resolveWorker(annotations, cell, notebook);
    const worker = name === localWorker ? undefined : find(notebook.workers, name);
    return worker?.backend === 'executor' ? worker : undefined;
  }

  return {
    async laneOf(work) {
      const worker = workerOf(work);
      const slots = worker && (await workers.slotsOf(worker));
      if (!worker || slots === undefined) return undefined;
      const writes = work.annotations.writeTables.length > 0 || mountsOf(work).some(({ mode }) => mode === 'rw');
      return { name: worker.name, atOnce: slots, isApart: !writes };
    },
    isElsewhere: (work) => workerOf(work) !== undefined,
    environmentOf(work) {
      const worker = workerOf(work);
      if (!worker || worker.config.environment === 'locked') return undefined;
      const language = work.cell.language === 'r' ? 'r' : 'python';
      return {
        worker: identityOf(worker, worker.name),
        ask: async () => workers.environmentOf(worker, { language, isLocked: (await environment(language)) !== null }),
      };
    },
    engage(work, language) {
      const { notebook, cell, annotations } = work;
      const { value: name } = resolveWorker(annotations, cell, notebook);
      if (name === localWorker) return undefined;
      const worker = find(notebook.workers, name);
      if (!worker)
        throw new CellRefused(
          'WorkerUnknown',
          `There is no worker named ${name} that this notebook may use; define it, or choose another.`,
          'worker_unknown',
        );
      if (worker.backend === 'local') return undefined;
      const local = resolveMounts(annotations, cell, notebook).find(({ uri }) => /^(?:file:|[^:]*$)/.test(uri));
      if (local)
        throw new CellRefused(
          'LocalMount',
          `The mount ${local.name} is a folder of this machine, which the worker ${name} does not see; mount storage that it reaches, or run the cell here.`,
        );
      const { principal, tenant } = caller();
      return {
        async run(job, onEvent, signal) {
          const modules = language === 'python' ? await modulesFor(job) : [];
          const run = await workers.run(
            worker,
            modules.length === 0 ? job : { ...job, localModules: textsOf(modules) },
            {
              principal,
              tenant,
              language,
              origin,
              provenanceHash: job.key ?? '',
              notebookId: notebook.id,
              outputDirs: annotations.outputDirs,
              mounts: mountsOf(work),
              environment: await environment(language),
            },
            onEvent,
            signal,
          );
          return modules.length === 0 ? run : { ...run, taken: readFiles(modules, job.workDir) };
        },
      };
    },
    identity(notebook, name) {
      if (name === localWorker) return 'local:local';
      const worker = find(notebook.workers, name);
      return worker?.backend === 'local' && worker.runtime_id === null ? 'local:local' : identityOf(worker, name);
    },
  };
}

/** What the cell imports of the notebook's own, and what the values that it reads may be made of: cells above it did. */
async function modulesFor({ source, notebookDir, readAbove }: Job): Promise<readonly LocalModule[]> {
  const files = [...(readAbove?.() ?? [])].flatMap((file) => moduleNamed(file) ?? []);
  try {
    return await localModules(notebookDir, { imports: importedModules(source), files });
  } catch (error) {
    if (!(error instanceof ModulesTooLarge)) throw error;
    throw new CellRefused(
      'ModulesTooLarge',
      'The modules in work/ that this cell imports are more than 500, or more than 4 MB together; make them a package that the worker installs, or run the cell here.',
    );
  }
}

const textsOf = (modules: readonly LocalModule[]): Record<string, string> =>
  Object.fromEntries(modules.map(({ path, text }) => [path, text]));

const readFiles = (modules: readonly LocalModule[], workDir: string): readonly ReadFile[] =>
  modules.map(({ path: place, identity }) => ({ path: path.join(workDir, place), identity }));
