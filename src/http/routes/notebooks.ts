// Notebooks on disk and sessions that are open.
import { discoverNotebooks, notebookRoot } from '../../notebook/index.ts';
import { discoverBody, sessionsBody } from '../../protocol/index.ts';
import type { App, Services } from '../services.ts';

export function notebookRoutes(app: App, { settings, sessions }: Services): void {
  app.get(
    '/v1/notebooks/discover',
    {
      schema: {
        tags: ['notebooks'],
        summary: 'Notebooks below the caller’s storage root, newest first',
        response: { 200: discoverBody },
      },
    },
    async (request) => {
      const root = notebookRoot(settings, request.caller);
      return { root, notebooks: await discoverNotebooks(root) };
    },
  );

  app.get(
    '/v1/notebooks/sessions',
    { schema: { tags: ['notebooks'], summary: 'Open sessions (personal mode)', response: { 200: sessionsBody } } },
    async () => ({
      sessions: sessions.list().map(({ sessionId, name, path }) => ({ session_id: sessionId, name, path })),
    }),
  );
}
