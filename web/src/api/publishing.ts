// Publishing a result of a notebook.
import type { PreflightBody, PublishedResultBody } from '../../../src/protocol/index.ts';
import { request } from './client.ts';

export interface ResultName {
  readonly cell_id: string;
  readonly variable: string;
}

const at = (sessionId: string, place = ''): string => `/v1/notebooks/${encodeURIComponent(sessionId)}/publish${place}`;

export const preflight = (sessionId: string, result: ResultName): Promise<PreflightBody> =>
  request('POST', at(sessionId, '/preflight'), result);

/** By the id of the publication: the link itself is shown once, to whoever published it. */
export const withdraw = (id: string): Promise<unknown> =>
  request('DELETE', `/v1/publications/${encodeURIComponent(id)}`);

export const publish = (sessionId: string, result: ResultName, title: string | null): Promise<PublishedResultBody> =>
  request('POST', at(sessionId), { ...result, title });
