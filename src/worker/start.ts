// Starts a worker from its settings, and ends it again. It serves before it has loaded what runs cells.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { findUv } from '../../scripts/setup/uv.js';
import type { Through } from '../fetch/index.ts';
import { findProgram, processFolders } from '../files/index.ts';
import { createLog, createLogRing, type Log, parseLogLevel } from '../observability/index.ts';
import type { WorkerSettings } from '../settings/index.ts';
import { createCapacity } from './capacity.ts';
import { checkEnvironments } from './checkEnvironments.ts';
import { createFront } from './front.ts';
import { plainHardware, readHardware } from './hardware.ts';
import { healthOf } from './health.ts';
import { readOnce } from './readOnce.ts';

/** A port, or for a worker that dials out the file of a socket, and its way out where it has no other. */
export type WorkerPlace =
  | { readonly host: string; readonly port: number }
  | { readonly path: string; readonly through: Through | undefined };

export interface RunningWorker {
  readonly address: string;
  readonly log: Log;
  /** How many cells run. */
  active(): number;
  stop(): Promise<void>;
}

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
  await checkEnvironments(settings, uv);
  const limits = { maxConcurrent: settings.workerMaxConcurrent, gpuSlots: settings.workerGpuSlots };
  const capacity = createCapacity({ ...limits, visibleDevices: process.env.CUDA_VISIBLE_DEVICES });
  const folders = processFolders('svc-worker');
  const hardware = readOnce(readHardware);
  const whole = readOnce(async () => {
    const { createWhole } = await import('./whole.ts');
    const told = (): object => hardware.known ?? plainHardware();
    const through = 'path' in place ? place.through : undefined;
    return createWhole(settings, { capacity, folders, uv, rscript, log, hardware: told, through });
  });
  const hasRenv = readOnce(async () => rscript !== undefined && (await whole.wait()).hasRenv());

  /** Gets ready for the cells of whoever asks how the worker is. */
  async function learn(): Promise<void> {
    await Promise.all([hardware.wait(), hasRenv.wait(), whole.wait().then(({ own }) => own.environment())]);
  }

  const server = createFront({
    async health({ complete }) {
      if (complete) await learn();
      else setImmediate(() => learn().catch((error) => log.error('The worker could not get ready', { error })));
      return healthOf({
        capacity,
        limits,
        launchId: settings.workerLaunchId,
        mode: settings.workerEnvironment,
        hasUv: uv !== undefined,
        hasR: rscript !== undefined,
        hasRenv: hasRenv.known ?? (rscript === undefined ? false : null),
        hardware: hardware.known ?? plainHardware(),
        own: whole.known?.own.known ?? null,
      });
    },
    load: async () => (await whole.wait()).handle,
    log,
  });
  // What a killed one left may fill the disk.
  await folders.sweep();
  server.listen(place);
  await once(server, 'listening');
  return {
    address: 'path' in place ? place.path : addressOf(server.address(), place.host),
    log,
    active: () => capacity.active,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await whole.known?.close();
    },
  };
}

function addressOf(bound: AddressInfo | string | null, host: string): string {
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
