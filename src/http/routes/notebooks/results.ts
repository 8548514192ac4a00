// Results of a cell that are kept: the one it shows, and earlier ones.
import { z } from 'zod';
import { cellResult, detailBody } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { cellOf, cellParams, sessionOf } from './shared.ts';

export function resultRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/results',
    {
      config: needs('notebook:read'),
      schema: {
        tags: ['cells'],
        summary: 'Results that are kept of a cell, newest first',
        params: cellParams,
        response: { 200: z.object({ cell_id: z.string(), results: z.array(cellResult) }), 404: detailBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cellId = cellOf(session, request.params.cell_id);
      return { cell_id: cellId, results: [...session.live.results(cellId)] };
    },
  );
}
