// Where cells of a notebook may run, and how busy it is there.
import type { z } from 'zod';
import type { workersBody } from '../../../src/protocol/index.ts';
import { request } from './client.ts';

export type WorkersBody = z.infer<typeof workersBody>;
export type Worker = WorkersBody['workers'][number];

export const readWorkers = (sessionId: string, signal: AbortSignal): Promise<WorkersBody> =>
  request('GET', `/v1/notebooks/${encodeURIComponent(sessionId)}/workers`, undefined, signal);

const at = (sessionId: string): string => `/v1/notebooks/${encodeURIComponent(sessionId)}/workers`;

interface NewWorker {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Those of the notebook, all of them. */
export const defineWorkers = (sessionId: string, workers: readonly NewWorker[]): Promise<WorkersBody> =>
  request('PUT', at(sessionId), { workers });

/** One of them, or without it (null); what others define at the same time stays. */
export async function defineBeside(sessionId: string, name: string, worker: NewWorker | null): Promise<void> {
  const { workers } = await request<WorkersBody>('GET', at(sessionId));
  const others = workers.filter((one) => one.source === 'notebook' && one.name !== name);
  await defineWorkers(sessionId, worker === null ? others : [...others, worker]);
}

/** One of the server’s own, for all notebooks: its administrators add and remove them. */
export const addForAll = ({ name, config }: NewWorker): Promise<unknown> =>
  request('POST', '/v1/admin/notebook-workers', { name, backend: 'executor', config });

export const removeForAll = (name: string): Promise<unknown> =>
  request('DELETE', `/v1/admin/notebook-workers/${encodeURIComponent(name)}`);

/** Of the cells that say nothing else; null for this machine. */
export const chooseWorker = (sessionId: string, worker: string | null): Promise<unknown> =>
  request('PUT', `/v1/notebooks/${encodeURIComponent(sessionId)}/worker`, { worker });

/** Takes a while: the worker is brought there and started. */
export const connectBySsh = (sessionId: string, ssh_target: string, name: string | undefined): Promise<WorkersBody> =>
  request('POST', `${at(sessionId)}/ssh`, { ssh_target, ...(name === undefined ? {} : { name }) });

/** What was started there ends too. */
export const disconnectSsh = (sessionId: string, name: string): Promise<unknown> =>
  request('DELETE', `${at(sessionId)}/ssh/${encodeURIComponent(name)}?stop_remote=true`);
