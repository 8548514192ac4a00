// Composes a worker from its settings, and ends it again.
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { findUv } from '../../scripts/setup/uv.js';
import { createLender } from '../credentials/index.ts';
import { findProgram, processFolders } from '../files/index.ts';
import { createMountCache, createRemoteMounts } from '../mounts/index.ts';
import { createLog, createLogRing, type Log, parseLogLevel } from '../observability/index.ts';
import type { WorkerSettings } from '../settings/index.ts';
import { createWorkerApp } from './app.ts';
import { collectBuilt, createBuiltOnce } from './builtOnce.ts';
import { createCapacity } from './capacity.ts';
import { createExecuting } from './executing.ts';
import { createExecutions } from './executions.ts';
import { type Hardware, readHardware } from './hardware.ts';
import { healthOf } from './health.ts';
import { createLockedEnvironments } from './lockedEnvironments.ts';
import { createLockedLibraries } from './lockedLibraries.ts';
import { createWorkerMounts } from './mounts.ts';
import { createRunner } from './runner.ts';
import { createTransfer } from './transfer.ts';

/** A port, or for a worker that dials out the file of a socket. */
export type WorkerPlace = { readonly host: string; readonly port: number } | { readonly path: string };

export interface RunningWorker {
  readonly address: string;
  readonly log: Log;
  stop(): Promise<void>;
}

const collectMilliseconds = 86_400_000;

export async function startWorker(settings: WorkerSettings, place: WorkerPlace): Promise<RunningWorker> {
  const log = createLog({
    level: parseLogLevel(settings.logLevel) ?? 'info',
    format: settings.logFormat,
    destination: 2,
    ring: createLogRing(),
    logger: 'svc.worker',
  });
  const uv = findUv();
  const rscript = findProgram('Rscript');
  const limits = { maxConcurrent: settings.workerMaxConcurrent, gpuSlots: settings.workerGpuSlots };
  const capacity = createCapacity(limits);
  let hardware: Hardware | undefined;
  const reading = readHardware().then((found) => {
    hardware = found;
    return found;
  });
  const places = {
    root: settings.workerEnvRoot,
    registry: settings.workerEnvRegistryUrl,
    built: createBuiltOnce(),
    log,
  };
  const libraries = createLockedLibraries({ ...places, rscript });
  const runner = createRunner({
    policy: { variables: process.env, allowlist: settings.notebookHarnessEnvAllowlist },
    locked: createLockedEnvironments({ ...places, uv }),
    libraries,
    rscript,
    log,
  });
  const lender = createLender(
    () => ({ credentials: settings.notebookCredentials, schemes: settings.notebookMountCredentials, paths: {} }),
    process.env,
    'worker',
  );
  const mounts = createWorkerMounts(
    createRemoteMounts(
      createMountCache(settings.notebookMountCacheDir, {
        maxBytes: settings.notebookMountCacheMaxBytes,
        maxIdleDays: settings.notebookMountCacheMaxIdleDays,
      }),
    ),
    lender,
  );
  const policy = { publicOnly: !settings.workerAllowLocalHosts, allowedHosts: settings.workerAllowedHosts };
  const folders = processFolders('svc-worker');
  const app = createWorkerApp({
    executing: createExecuting({
      capacity,
      executions: createExecutions({ runner, mounts, hardware: () => hardware ?? {} }),
      folders,
      transfer: createTransfer(policy, settings.workerMaxInputBytes),
      policy,
      maxInputBytes: settings.workerMaxInputBytes,
      pollSeconds: settings.workerOutputDirPollSeconds,
      log,
    }),
    health: () =>
      healthOf({
        capacity,
        limits,
        launchId: settings.workerLaunchId,
        hasUv: uv !== undefined,
        hasR: rscript !== undefined,
        hasRenv: libraries.isUsable,
        hardware: () => reading,
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
  await folders.sweep();
  void collect();
  await app.listen(place);
  return {
    address: 'path' in place ? place.path : addressOf(app.server.address(), place.host),
    log,
    async stop() {
      clearInterval(collector);
      await app.close();
      await runner.close();
    },
  };
}

function addressOf(bound: AddressInfo | string | null, host: string): string {
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
