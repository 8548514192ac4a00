// What people say about cells.
import type { CommentsBody } from '../../../src/protocol/index.ts';
import { request } from './client.ts';

const at = (sessionId: string): string => `/v1/notebooks/${encodeURIComponent(sessionId)}`;

export const readComments = (sessionId: string): Promise<CommentsBody> => request('GET', `${at(sessionId)}/comments`);

export const addComment = (sessionId: string, cellId: string, text: string): Promise<CommentsBody> =>
  request('POST', `${at(sessionId)}/cells/${cellId}/comments`, { text });

export const resolveComment = (sessionId: string, id: string, resolved: boolean): Promise<CommentsBody> =>
  request('PATCH', `${at(sessionId)}/comments/${id}`, { resolved });

export const editComment = (sessionId: string, id: string, text: string): Promise<CommentsBody> =>
  request('PATCH', `${at(sessionId)}/comments/${id}`, { text });

export const restoreComment = (sessionId: string, id: string): Promise<CommentsBody> =>
  request('POST', `${at(sessionId)}/comments/${id}/restore`);

export const removeComment = (sessionId: string, id: string): Promise<CommentsBody> =>
  request('DELETE', `${at(sessionId)}/comments/${id}`);
