// What people say about cells of a notebook; everybody who has it open hears of each change.
import { z } from 'zod';
import {
  addComment,
  editComment,
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
  async function changed(
    { sessionId, live }: OpenSession,
    change: (directory: string) => Promise<readonly CommentRecord[]>,
  ): Promise<CommentsBody> {
    const body = { comments: [...(await live.beside(() => change(live.directory)))] };
    services.hubs.of(sessionId).broadcast('notebook_comments', body);
    return body;
  }

  const sessionIn = ({ params }: { readonly params: { readonly session_id: string } }): OpenSession =>
    sessionOf(services, params.session_id);

  app.get(
    '/v1/notebooks/:session_id/comments',
    {
      config: needs('notebook:read'),
      schema: { tags, summary: 'What people said about cells', params: sessionParams, response },
    },
    async (request) => ({ comments: [...(await readComments(sessionIn(request).live.directory))] }),
  );

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/comments',
    {
      config: needs('notebook:write'),
      schema: { tags, summary: 'Say something about a cell', params: cellParams, body: newComment, response },
    },
    async (request) => {
      const session = sessionIn(request);
      const author = authorOf(request.caller.principal, request.body.author);
      const cellId = cellOf(session, request.params.cell_id);
      const { text } = request.body;
      return changed(session, (directory) => addComment(directory, { cellId, author, text }));
    },
  );

  app.patch(
    '/v1/notebooks/:session_id/comments/:comment_id',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Resolve a comment, open it again, or edit your own',
        params: commentParams,
        body: commentChange,
        response,
      },
    },
    async (request) => {
      const { body, caller } = request;
      const { comment_id: id } = request.params;
      const author = authorOf(caller.principal, body.author);
      return changed(sessionIn(request), (directory) =>
        'text' in body
          ? editComment(directory, id, { author, text: body.text })
          : resolveComment(directory, id, body.resolved ? author : null),
      );
    },
  );

  app.delete(
    '/v1/notebooks/:session_id/comments/:comment_id',
    {
      config: needs('notebook:write'),
      schema: { tags, summary: 'Delete a comment', params: commentParams, response },
    },
    async (request) => changed(sessionIn(request), (directory) => removeComment(directory, request.params.comment_id)),
  );

  app.post(
    '/v1/notebooks/:session_id/comments/:comment_id/restore',
    {
      config: needs('notebook:write'),
      schema: { tags, summary: 'Bring back a comment that was just deleted', params: commentParams, response },
    },
    async (request) => changed(sessionIn(request), (directory) => restoreComment(directory, request.params.comment_id)),
  );
}
