// Remarks on the text of a cell while it is written, and the same text formatted. Nothing is changed here.
import { formatted, remarksOn } from '../../../notebook/index.ts';
import { detailBody, formattedBody, remarksBody, sourceRequest } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { cellOf, cellParams, sessionOf } from './shared.ts';

export function remarkRoutes(app: App, services: Services): void {
  const tags = ['cells'];
  const response = { 400: detailBody, 404: detailBody };

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/remarks',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What is wrong or without effect in the text of a Python cell',
        params: cellParams,
        body: sourceRequest,
        response: { 200: remarksBody, ...response },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cellId = cellOf(session, request.params.cell_id);
      const wanted = { cellId, source: request.body.source, signal: request.signal };
      return { remarks: [...(await remarksOn(services.ruff(), session.live, wanted))] };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/format',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'The text of a Python cell, formatted; it is not stored',
        params: cellParams,
        body: sourceRequest,
        response: { 200: formattedBody, ...response },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cellId = cellOf(session, request.params.cell_id);
      const wanted = { cellId, source: request.body.source, signal: request.signal };
      return { source: (await formatted(services.ruff(), session.live, wanted)) ?? null };
    },
  );
}
