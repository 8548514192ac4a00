// Help from a model: whether somebody can be asked, what would be sent, and the answer as it comes. Whoever closes the connection
// wants no answer any more. A proposal changes nothing: it is accepted by an edit of the cell that names the model.
import { assist, hostOf, modelFor, previewAssist } from '../../../notebook/index.ts';
import {
  type AssistEvent,
  assistEvent,
  assistOfferBody,
  assistPreviewBody,
  assistRequest,
  detailBody,
  detailObjectBody,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { cellOf, sessionOf, sessionParams } from './shared.ts';

const tags = ['cells'];
const eventStream = 'text/event-stream';
const response = { 400: detailBody, 404: detailBody, 409: detailObjectBody };

export function assistRoutes(app: App, services: Services): void {
  const { models, lifecycle } = services;

  app.get(
    '/v1/notebooks/:session_id/assist',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'The model that would be asked for help; null where none is set up',
        params: sessionParams,
        response: { 200: assistOfferBody, 404: detailBody },
      },
    },
    async (request) => {
      const provider = modelFor(models, sessionOf(services, request.params.session_id).live, null);
      return provider ? { model: provider.model, host: hostOf(provider) } : { model: null, host: null };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/assist/preview',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Exactly what a question to the model would send; nothing is sent',
        params: sessionParams,
        body: assistRequest,
        response: { 200: assistPreviewBody, ...response },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      if (request.body.cell_id !== null) cellOf(session, request.body.cell_id);
      return previewAssist(models, session.live, request.body);
    },
  );

  app.post(
    '/v1/notebooks/:session_id/assist',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary:
          'Ask the model to fix, explain, edit, write or go on with a cell; the answer comes as server-sent events',
        description:
          'Names, types and columns are sent, and values only with `include_values`. Nothing is changed: a proposal is accepted by an edit with `assisted_by`. Closing the connection takes the question back. 409 (`no_model`) where no model is set up.',
        params: sessionParams,
        body: assistRequest,
        response: {
          200: {
            description: 'One `data:` line of JSON per event',
            content: { [eventStream]: { schema: assistEvent } },
          },
          ...response,
        },
      },
    },
    async (request, reply) => {
      const session = sessionOf(services, request.params.session_id);
      if (request.body.cell_id !== null) cellOf(session, request.body.cell_id);
      const { raw } = reply;
      const gone = new AbortController();
      raw.on('close', () => gone.abort());
      const signal = AbortSignal.any([gone.signal, lifecycle.draining]);
      const answer = await assist(models, session.live, request.body, { signal });
      session.touch();
      const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      reply.hijack();
      raw.writeHead(200, { ...Object.fromEntries(headers), 'content-type': eventStream, 'cache-control': 'no-store' });
      raw.flushHeaders();
      const tell = (event: AssistEvent): void => void raw.write(`data: ${JSON.stringify(event)}\n\n`);
      try {
        await answer({ onEvent: tell, onUsage: (usage) => models.onAnswer(request.caller, usage) });
      } catch (error) {
        services.log.error('A model could not be asked for help', { error });
        tell({ type: 'failed', message: 'Something went wrong inside the server; its log says what.' });
      } finally {
        raw.end();
      }
    },
  );
}
