// The workers of an open notebook, changed by the rules of the server that holds it: whether notebooks may define workers,
// and which ones they may choose.
import { refusals } from '../errors/index.ts';
import { type OpenSession, setNotebookWorker, setWorkers, unshown } from '../notebook/index.ts';
import {
  type Catalog,
  type Hints,
  SshFailed,
  type SshWorker,
  type SshWorkers,
  type WorkerRegistry,
} from '../workers/index.ts';
import { type DefinedWorker, type WorkerListView, workerListView } from './workers.ts';

export interface WorkerParts {
  readonly catalog: Catalog;
  readonly registry: Pick<WorkerRegistry, 'refresh'>;
  readonly hints: Hints;
  readonly ssh: SshWorkers;
}

export interface SshWish {
  readonly target: string;
  /** Null is named after the host. */
  readonly name: string | null;
  readonly isDefault: boolean;
  readonly remotePort: number;
  readonly localPort: number | null;
  /** Whether a machine without a worker may be brought one. */
  readonly install: boolean;
  /** The version that has to be there; null takes any. */
  readonly pin: string | null;
}

export interface WorkerDesk {
  view(): Promise<WorkerListView>;
  /** What was shown masked stands for what is there. */
  replace(workers: readonly DefinedWorker[]): Promise<void>;
  /** Defines a worker, or replaces the one of its name. */
  define(worker: DefinedWorker): Promise<void>;
  remove(name: string): Promise<void>;
  /** Null runs cells on the server's machine. */
  choose(name: string | null): Promise<void>;
  connect(wish: SshWish): Promise<SshWorker>;
  /** Whether there was a tunnel of this name. */
  disconnect(name: string, options: { readonly stopRemote: boolean }): Promise<boolean>;
}

/** The port that a worker behind ssh serves on, unless another is wished. */
export const usualWorkerPort = 9000;

export function createWorkerDesk({ live, sessionId, configure }: OpenSession, parts: WorkerParts): WorkerDesk {
  const { catalog, registry, hints, ssh } = parts;

  function assertEditable(): void {
    if (!catalog.isEditable) throw refusals.workersNotEditable();
  }

  return {
    async view() {
      const { workers: own, worker } = live.notebook();
      const served = (await registry.refresh()).filter(({ enabled }) => enabled);
      return workerListView([...(catalog.isEditable ? own : []), ...served], worker, catalog.isEditable);
    },
    async replace(workers) {
      assertEditable();
      await configure((notebook) => {
        const before = new Map(notebook.workers.map(({ name, config }) => [name, config]));
        const unmasked = workers.map((worker) => ({
          ...worker,
          config: unshown(worker.config, before.get(worker.name) ?? {}),
        }));
        return setWorkers(notebook, unmasked);
      });
    },
    async define(worker) {
      assertEditable();
      await configure((notebook) => setWorkers(notebook, [...without(notebook.workers, worker.name), worker]));
    },
    async remove(name) {
      assertEditable();
      await configure(async (notebook) => {
        if (!notebook.workers.some((one) => one.name === name)) throw refusals.workerNotFound(name);
        return setWorkers(notebook, without(notebook.workers, name));
      });
    },
    async choose(name) {
      const isKnown = name === null || name === 'local' || catalog.find(live.notebook().workers, name) !== undefined;
      if (!isKnown && !catalog.isEditable) throw refusals.workerNotAllowed(name);
      await configure((notebook) => setNotebookWorker(notebook, name));
      if (name !== null) hints.give(sessionId, live.notebook(), name, 'select');
    },
    async connect({ target, isDefault, remotePort, localPort, install, pin, ...wish }) {
      assertEditable();
      const name = wish.name ?? nameOf(target);
      if (name === 'local') throw refusals.workerReserved();
      const worker = await ssh
        .establish({ target, name, remotePort, localPort, install, pin })
        .catch((error: unknown) => {
          throw error instanceof SshFailed ? refusals.sshFailed(error.message) : error;
        });
      const config = { url: worker.executor_url, transport: 'direct' };
      const spec = { name, backend: 'executor' as const, runtime_id: `ssh:${target}`, config };
      await configure(async (notebook) => {
        const defined = await setWorkers(notebook, [...without(notebook.workers, name), spec]);
        return isDefault ? setNotebookWorker(defined, name) : defined;
      });
      return worker;
    },
    async disconnect(name, options) {
      assertEditable();
      const removed = await ssh.remove(name, options);
      if (removed) await configure((notebook) => setWorkers(notebook, without(notebook.workers, name)));
      if (removed?.problem) throw refusals.sshFailed(removed.problem);
      return removed !== undefined;
    },
  };
}

const without = <Worker extends { readonly name: string }>(workers: readonly Worker[], name: string): Worker[] =>
  workers.filter((one) => one.name !== name);

/** After the host, as far as it makes a name. */
const nameOf = (target: string): string =>
  (target.split('@').at(-1) ?? '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64) || 'remote';
