// Where cells of a notebook may run, and how busy it is there.
import type { z } from 'zod';
import type { workersBody } from '../../../src/protocol/index.ts';
import { request } from './client.ts';

export type WorkersBody = z.infer<typeof workersBody>;
export type Worker = WorkersBody['workers'][number];

export const readWorkers = (sessionId: string, signal: AbortSignal): Promise<WorkersBody> =>
  request('GET', `/v1/notebooks/${encodeURIComponent(sessionId)}/workers`, undefined, signal);
