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

/** Takes a while: the worker is brought there and started. */
export const connectBySsh = (sessionId: string, ssh_target: string, name: string | undefined): Promise<WorkersBody> =>
  request('POST', `${at(sessionId)}/ssh`, { ssh_target, ...(name === undefined ? {} : { name }) });

export const disconnectSsh = (sessionId: string, name: string): Promise<unknown> =>
  request('DELETE', `${at(sessionId)}/ssh/${encodeURIComponent(name)}`);
