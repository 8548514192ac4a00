// Notebooks on disk and sessions that are open.
import { z } from 'zod';
import { refusals } from '../../../errors/index.ts';
import { discoverNotebooks, notebookRoot, readLastRun } from '../../../notebook/index.ts';
import { detailBody, discoverBody, notebookState, queryBool, queryInt, sessionsBody } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { openedState, sessionParams } from './shared.ts';

export function discoverRoutes(app: App, services: Services): void {
  const { settings, sessions } = services;
  const tags = ['notebooks'];
  app.get(
    '/v1/notebooks/discover',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'Notebooks below the caller’s storage root, newest first, a page at a time',
        querystring: z.object({
          last_runs: queryBool().default(false),
          limit: queryInt({ min: 1, max: 500 }).default(500),
          offset: queryInt({ min: 0 }).default(0),
        }),
        response: { 200: discoverBody },
      },
    },
    async (request, reply) => {
      const root = notebookRoot(settings, request.caller);
      const { last_runs, limit, offset } = request.query;
      const all = await discoverNotebooks(root);
      const notebooks = all.slice(offset, offset + limit);
      reply.header('x-total-count', String(all.length));
      if (!last_runs) return { root, notebooks };
      const withRun = async (found: (typeof notebooks)[number]) => ({
        ...found,
        last_run: await readLastRun(found.path),
      });
      return { root, notebooks: await Promise.all(notebooks.map(withRun)) };
    },
  );

  app.get(
    '/v1/notebooks/sessions',
    {
      config: needs('notebook:read', { personalOnly: 'notebook' }),
      schema: { tags, summary: 'Open sessions (personal mode)', response: { 200: sessionsBody } },
    },
    async () => ({
      sessions: sessions.list().map(({ sessionId, live }) => {
        const { id, name, createdAt, updatedAt, directory } = live.notebook();
        return {
          session_id: sessionId,
          name,
          path: directory,
          notebook_id: id,
          created_at: inUtc(createdAt),
          updated_at: inUtc(updatedAt),
          is_running: live.runner.active() !== null,
        };
      }),
    }),
  );

  app.get(
    '/v1/notebooks/sessions/:session_id',
    {
      config: needs('notebook:read', { personalOnly: 'notebook' }),
      schema: {
        tags,
        summary: 'The whole state of an open notebook (personal mode)',
        params: sessionParams,
        response: { 200: notebookState, 404: detailBody },
      },
    },
    async (request, reply) => {
      const session = sessions.find(request.params.session_id);
      if (!session) throw refusals.sessionNotFound();
      return openedState(services, request, reply, session);
    },
  );
}

/** This list writes its times with a Z. */
const inUtc = (time: string | null): string | null => time?.replace(/\+00:00$/, 'Z') ?? null;
