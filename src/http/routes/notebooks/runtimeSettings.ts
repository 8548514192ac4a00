// What cells of a notebook run with: their default timeout and their environment variables.
import { z } from 'zod';
import { setEnv, setNotebookTimeout, stateRecord, unmasked } from '../../../notebook/index.ts';
import { cellRecord, detailObjectBody } from '../../../protocol/index.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf, sessionParams } from './shared.ts';

const day = 86_400;

export function runtimeSettingsRoutes(app: App, services: Services): void {
  const tags = ['notebooks'];
  const cells = z.array(cellRecord);

  app.put(
    '/v1/notebooks/:session_id/timeout',
    {
      schema: {
        tags,
        summary: 'The default timeout of cells, in seconds; null restores the system’s',
        params: sessionParams,
        body: z.object({ timeout: z.number().gt(0).lte(day).nullable() }),
        response: { 200: z.object({ timeout: z.number().nullable(), cells }), 409: detailObjectBody },
      },
    },
    async (request) => {
      const { live } = sessionOf(services, request.params.session_id);
      await live.change((notebook) => setNotebookTimeout(notebook, request.body.timeout));
      return { timeout: live.notebook().timeout, cells: live.cellRecords() };
    },
  );

  app.put(
    '/v1/notebooks/:session_id/env',
    {
      schema: {
        tags,
        summary: 'Replace the environment variables of a notebook; a masked value keeps what is there',
        params: sessionParams,
        body: z.object({ env: z.record(z.string().min(1), z.string()) }),
        response: {
          200: z.object({
            env: z.record(z.string(), z.string()),
            env_sources: z.record(z.string(), z.string()),
            cells,
          }),
          409: detailObjectBody,
        },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      await session.live.change((notebook) => setEnv(notebook, unmasked(request.body.env, notebook.env)));
      const { env, env_sources } = envOf(stateRecord(session));
      return { env, env_sources, cells: session.live.cellRecords() };
    },
  );
}

const envState = z.object({ env: z.record(z.string(), z.string()), env_sources: z.record(z.string(), z.string()) });
const envOf = (state: unknown): z.infer<typeof envState> => envState.parse(state);
