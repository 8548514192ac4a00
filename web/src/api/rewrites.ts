// Changes of several cells at once, looked at before they are made.
import type {
  AmbiguousNamesBody,
  ExplicitPreviewBody,
  JoinCellsBody,
  MakeExplicitBody,
  NamePlacesBody,
  RenamePreviewBody,
} from '../../../src/protocol/index.ts';
import { request } from './client.ts';

const at = (sessionId: string, place: string): string => `/v1/notebooks/${encodeURIComponent(sessionId)}${place}`;

export const readAmbiguousNames = (sessionId: string, signal: AbortSignal): Promise<AmbiguousNamesBody> =>
  request('GET', at(sessionId, '/names/ambiguous'), undefined, signal);

export const previewExplicit = (sessionId: string, name: string, signal: AbortSignal): Promise<ExplicitPreviewBody> =>
  request('GET', at(sessionId, `/names/explicit?name=${encodeURIComponent(name)}`), undefined, signal);

export const makeExplicit = (sessionId: string, name: string, token: string): Promise<MakeExplicitBody> =>
  request('POST', at(sessionId, '/names/explicit'), { name, token });

export const readNamePlaces = (sessionId: string, name: string): Promise<NamePlacesBody> =>
  request('GET', at(sessionId, `/names/places?name=${encodeURIComponent(name)}`));

export const previewRename = (
  sessionId: string,
  name: string,
  to: string,
  signal: AbortSignal,
): Promise<RenamePreviewBody> =>
  request('GET', at(sessionId, `/names/rename?${new URLSearchParams({ name, to })}`), undefined, signal);

export const renameName = (
  sessionId: string,
  { name, to, token }: Pick<RenamePreviewBody, 'name' | 'to' | 'token'>,
): Promise<RenamePreviewBody> => request('POST', at(sessionId, '/names/rename'), { name, to, token });

export const joinCells = (sessionId: string, cellIds: readonly string[]): Promise<JoinCellsBody> =>
  request('POST', at(sessionId, '/cells/join'), { cell_ids: cellIds });
