// Tests of a cell over REST: writing them, and running them against a copy of the cell.
import { z } from 'zod';
import { setCellTests } from '../../../notebook/index.ts';
import { cellRecord, cellTestResult, detailBody, detailObjectBody } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { cellOf, sessionOf } from './shared.ts';

const params = z.object({ session_id: z.string(), cell_id: z.string() });
const tags = ['cells'];

export function cellTestRoutes(app: App, services: Services): void {
  app.put(
    '/v1/notebooks/:session_id/cells/:cell_id/tests',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Write the tests of a cell',
        params,
        body: z.object({ source: z.string().max(1_000_000) }),
        response: { 200: cellRecord, 400: detailBody, 404: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cellId = cellOf(session, request.params.cell_id);
      await session.configure((notebook) => setCellTests(notebook, cellId, request.body.source));
      return session.live.cellRecord(cellId);
    },
  );

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/tests',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Run the tests of a cell and wait for them',
        params,
        response: {
          200: cellTestResult.extend({ cell_id: z.string() }),
          400: detailBody,
          404: detailBody,
          409: detailObjectBody,
        },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { live } = session;
      live.assertMayRun(null);
      await live.catchUp([request.params.cell_id]);
      const cellId = cellOf(session, request.params.cell_id);
      const result = await session.tests.run(cellId);
      return { cell_id: cellId, ...result };
    },
  );
}
