// What people say about cells of a notebook; everybody who has it open hears of each change.
import { z } from 'zod';
import {
  addComment,
  type OpenSession,
  readComments,
  removeComment,
  resolveComment,
  restoreComment,
} from '../../../notebook/index.ts';
import {
  type CommentRecord,
  type CommentsBody,
  commentChange,
  commentsBody,
  detailBody,
  detailObjectBody,
  newComment,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { authorOf, cellOf, cellParams, sessionOf, sessionParams } from './shared.ts';

const tags = ['comments'];
const commentParams = sessionParams.extend({ comment_id: z.string() });
const response = { 200: commentsBody, 404: detailBody, 409: detailObjectBody };

export function commentRoutes(app: App, services: Services): void {
  function told(session: OpenSession, comments: readonly CommentRecord[]): CommentsBody {
    const body = { comments: [...comments] };
    services.hubs.of(session.sessionId).broadcast('notebook_comments', body);
    return body;
  }

  function editable(sessionId: string): OpenSession {
    const session = sessionOf(services, sessionId);
    session.live.assertFree('edit');
    return session;
  }

  app.get(
    '/v1/notebooks/:session_id/comments',
    {
      config: needs('notebook:read'),
      schema: { tags, summary: 'What people said about cells', params: sessionParams, response },
    },
    async (request) => ({
      comments: [...(await readComments(sessionOf(services, request.params.session_id).live.directory))],
    }),
  );

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/comments',
    {
      config: needs('notebook:write'),
      schema: { tags, summary: 'Say something about a cell', params: cellParams, body: newComment, response },
    },
    async (request) => {
      const session = editable(request.params.session_id);
      const author = authorOf(request.caller.principal, request.body.author);
      const cellId = cellOf(session, request.params.cell_id);
      return told(session, await addComment(session.live.directory, { cellId, author, text: request.body.text }));
    },
  );

  app.patch(
    '/v1/notebooks/:session_id/comments/:comment_id',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Resolve a comment, or open it again',
        params: commentParams,
        body: commentChange,
        response,
      },
    },
    async (request) => {
      const session = editable(request.params.session_id);
      const by = request.body.resolved ? authorOf(request.caller.principal, request.body.author) : null;
      return told(session, await resolveComment(session.live.directory, request.params.comment_id, by));
    },
  );

  app.delete(
    '/v1/notebooks/:session_id/comments/:comment_id',
    {
      config: needs('notebook:write'),
      schema: { tags, summary: 'Delete a comment', params: commentParams, response },
    },
    async (request) => {
      const session = editable(request.params.session_id);
      return told(session, await removeComment(session.live.directory, request.params.comment_id));
    },
  );

  app.post(
    '/v1/notebooks/:session_id/comments/:comment_id/restore',
    {
      config: needs('notebook:write'),
      schema: { tags, summary: 'Bring back a comment that was just deleted', params: commentParams, response },
    },
    async (request) => {
      const session = editable(request.params.session_id);
      return told(session, await restoreComment(session.live.directory, request.params.comment_id));
    },
  );
}
