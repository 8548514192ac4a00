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

export const publish = (sessionId: string, result: ResultName, title: string | null): Promise<PublishedResultBody> =>
  request('POST', at(sessionId), { ...result, title });
