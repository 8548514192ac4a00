// What an editor asks while somebody types in a Python or SQL cell: what may stand at the cursor, and what a name there means.
import type { z } from 'zod';
import { detailBody, helpBody, hintRequest, suggestionsBody } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { cellOf, cellParams, sessionOf } from './shared.ts';

export function hintRoutes(app: App, services: Services): void {
  const tags = ['cells'];
  const response = { 400: detailBody, 404: detailBody };

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/complete',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'What may stand at the cursor',
        params: cellParams,
        body: hintRequest,
        response: { 200: suggestionsBody, ...response },
      },
    },
    async (request) => {
      const found = await hint(request.params, request.body, 'complete');
      const { items = [], from = request.body.offset, truncated = false } = found ?? {};
      return { items: [...items], from, truncated };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/help',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'What the name or the call at the cursor means',
        params: cellParams,
        body: hintRequest,
        response: { 200: helpBody, ...response },
      },
    },
    async (request) => {
      const { signature = null, text = '' } = (await hint(request.params, request.body, 'help')) ?? {};
      return { signature, text };
    },
  );

  function hint(
    params: z.infer<typeof cellParams>,
    { source, offset }: z.infer<typeof hintRequest>,
    ask: 'complete' | 'help',
  ) {
    const session = sessionOf(services, params.session_id);
    const cellId = cellOf(session, params.cell_id);
    return session.live.hints.ask({ ask, cellId, source, offset: Math.min(offset, source.length) });
  }
}
