// Everything of a worker that runs cells, put together from its settings. It is loaded when the worker serves already.
import path from 'node:path';
import { createLender } from '../credentials/index.ts';
import { patienceOf, type Through } from '../fetch/index.ts';
import type { ProcessFolders } from '../files/index.ts';
import { createMountCache, createRemoteMounts } from '../mounts/index.ts';
import type { Log } from '../observability/index.ts';
import { cellEnvironment } from '../runtimes/index.ts';
import { cellPolicyOf, type WorkerSettings } from '../settings/index.ts';
import { createWorkerApp } from './app.ts';
import { collectBuilt, createBuiltOnce } from './builtOnce.ts';
import type { Capacity } from './capacity.ts';
import { createExecuting } from './executing.ts';
import { createExecutions } from './executions.ts';
import type { Handler } from './front.ts';
import { createLockedEnvironments } from './lockedEnvironments.ts';
import { createLockedLibraries } from './lockedLibraries.ts';
import { createWorkerMounts } from './mounts.ts';
import { createOwnPython, type OwnPython } from './ownPython.ts';
import { policyOf } from './policy.ts';
import { createTransfer } from './transfer.ts';
import { createWorkerRunner } from './workerRunner.ts';

export interface WholeParts {
  readonly capacity: Capacity;
  readonly folders: ProcessFolders;
  readonly uv: string | undefined;
  readonly rscript: string | undefined;
  readonly hardware: () => object;
  readonly log: Log;
  /** The way out, where this machine has no other. */
  readonly through: Through | undefined;
}

export interface Whole {
  readonly handle: Handler;
  readonly own: OwnPython;
  /** Whether R can load its lock tool. */
  hasRenv(): Promise<boolean>;
  close(): Promise<void>;
}

const collectMilliseconds = 86_400_000;

export async function createWhole(settings: WorkerSettings, parts: WholeParts): Promise<Whole> {
  const { capacity, folders, uv, rscript, hardware, log } = parts;
  const cells = cellPolicyOf(settings, process.env);
  const places = {
    root: settings.workerEnvRoot,
    registry: settings.workerEnvRegistryUrl,
    built: createBuiltOnce(),
    log,
  };
  const own = createOwnPython({ given: settings.workerPython, variables: cellEnvironment(cells) });
  const libraries = createLockedLibraries({ ...places, rscript });
  const runner = createWorkerRunner({
    policy: cells,
    mode: settings.workerEnvironment,
    own,
    locked: createLockedEnvironments({ ...places, uv }),
    libraries,
    rscript,
    ownFolder: path.join(settings.workerEnvRoot, 'own'),
    log,
  });
  const policy = { ...policyOf(settings), through: parts.through };
  const app = createWorkerApp({
    executing: createExecuting({
      capacity,
      executions: createExecutions({ runner, mounts: mountsOf(settings), hardware, log }),
      folders,
      transfer: createTransfer(policy, settings.workerMaxInputBytes),
      policy,
      maxInputBytes: settings.workerMaxInputBytes,
      pollSeconds: settings.workerOutputDirPollSeconds,
      log,
    }),
    token: settings.workerToken?.trim() || null,
    heartbeatSeconds: settings.workerHeartbeatSeconds,
    log,
  });

  async function collect(): Promise<void> {
    for (const folder of [settings.workerEnvRoot, path.join(settings.workerEnvRoot, 'r')])
      await collectBuilt(folder, Date.now());
  }
  const collector = setInterval(() => void collect(), collectMilliseconds).unref();
  void collect();
  await app.ready();
  return {
    handle: (request, response) => app.routing(request, response),
    own,
    hasRenv: libraries.isUsable,
    async close() {
      clearInterval(collector);
      await app.close();
      await runner.close();
    },
  };
}

function mountsOf(settings: WorkerSettings) {
  const lender = createLender(
    () => ({ credentials: settings.notebookCredentials, schemes: settings.notebookMountCredentials, paths: {} }),
    process.env,
    'worker',
  );
  const cache = createMountCache(settings.notebookMountCacheDir, {
    maxBytes: settings.notebookMountCacheMaxBytes,
    maxIdleDays: settings.notebookMountCacheMaxIdleDays,
  });
  return createWorkerMounts(createRemoteMounts(cache, patienceOf(settings)), lender);
}
