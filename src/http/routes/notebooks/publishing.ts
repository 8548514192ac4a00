// Publishing a result of a notebook, after a look at what everybody could read then.
import { z } from 'zod';
import { createResultDesk, type ResultDesk } from '../../../desk/index.ts';
import { refusals } from '../../../errors/index.ts';
import { type Caller, holds } from '../../../identity/index.ts';
import {
  detailBody,
  detailObjectBody,
  preflightBody,
  preflightRequest,
  publishedResultBody,
  publishResultRequest,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf, sessionParams } from './shared.ts';

const tags = ['artifacts'];

export function publishingRoutes(app: App, services: Services): void {
  const { settings, teamStore } = services;
  const deskOf = (sessionId: string, caller: Caller): ResultDesk =>
    createResultDesk(
      sessionOf(services, sessionId).live,
      { settings, teamStore, artifacts: async () => services.artifacts },
      caller,
    );

  app.post(
    '/v1/notebooks/:session_id/publish/preflight',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What everybody could read if a result of a cell were published; nothing is',
        params: sessionParams,
        body: preflightRequest,
        response: { 200: preflightBody, 400: detailBody, 404: detailBody },
      },
    },
    async ({ params, body: { cell_id: cellId, variable }, caller }) =>
      deskOf(params.session_id, caller).preflight({ cellId, variable }),
  );

  app.post(
    '/v1/notebooks/:session_id/publish',
    {
      config: needs('notebook:write', { besides: '`artifacts:publish`' }),
      schema: {
        tags,
        summary: 'Make a result of a cell readable for everybody who has the link; the link is shown this once',
        params: sessionParams,
        body: publishResultRequest,
        response: {
          200: publishedResultBody,
          400: detailBody,
          403: z.union([detailBody, detailObjectBody]),
          404: detailBody,
        },
      },
    },
    async ({ params, body: { cell_id: cellId, variable, title }, caller }) => {
      if (!holds(caller, 'artifacts:publish')) throw refusals.insufficientScope('artifacts:publish');
      return deskOf(params.session_id, caller).publish({ cellId, variable }, title || null);
    },
  );
}
