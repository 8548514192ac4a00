// Values as they are stored: what a cell gave a name, what an iteration of its loop carried.
import type { IterationRecord, StoredValueBody } from '../../../src/protocol/index.ts';
import { request } from './client.ts';
import type { TablePlace } from './tables.ts';

const at = (sessionId: string, cellId: string): string =>
  `/v1/notebooks/${encodeURIComponent(sessionId)}/cells/${cellId}`;

export const readValue = ({ sessionId, cellId, uri }: TablePlace, signal: AbortSignal): Promise<StoredValueBody> =>
  request('GET', `${at(sessionId, cellId)}/value?${new URLSearchParams({ artifact_uri: uri })}`, undefined, signal);

export const readIterations = (
  sessionId: string,
  cellId: string,
  signal: AbortSignal,
): Promise<{ readonly variable: string | null; readonly iterations: readonly IterationRecord[] }> =>
  request('GET', `${at(sessionId, cellId)}/iterations`, undefined, signal);
