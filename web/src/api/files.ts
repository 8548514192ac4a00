// The files that cells of a notebook read by plain names.
import type { FileEntry, FilesBody } from '../../../src/protocol/index.ts';
import { request, upload } from './client.ts';

export type { FileEntry, FilesBody };

const at = (sessionId: string, place = ''): string =>
  `/v1/notebooks/${encodeURIComponent(sessionId)}/files${place && `/${place.split('/').map(encodeURIComponent).join('/')}`}`;

export const readFiles = (sessionId: string, folder: string, signal: AbortSignal): Promise<FilesBody> =>
  request('GET', `${at(sessionId)}?${new URLSearchParams({ path: folder })}`, undefined, signal);

export const fileAddress = at;

export const uploadFile = (
  sessionId: string,
  place: string,
  file: File,
  overwrite: boolean,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<FileEntry> =>
  upload('PUT', `${at(sessionId, place)}?overwrite=${overwrite}&parents=true`, file, onProgress, signal);

export const deleteFile = (sessionId: string, place: string): Promise<unknown> =>
  request('DELETE', at(sessionId, place));
