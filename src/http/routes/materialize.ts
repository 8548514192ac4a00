// `POST /v1/materialize`: what can be refused before any table is read.
import { refusals } from '../../errors/index.ts';
import { detailBody, detailObjectBody, materializeRequest } from '../../protocol/index.ts';
import type { App, Services } from '../services.ts';

export function materializeRoutes(app: App, { settings, engine, lifecycle }: Services): void {
  app.post(
    '/v1/materialize',
    {
      schema: {
        tags: ['core'],
        summary: 'Compute a transform over tables and artifacts, or find its stored result',
        body: materializeRequest,
        response: { 400: detailObjectBody, 501: detailBody, 503: detailBody },
      },
      // Before the body is read: a server that is going away takes no new work.
      onRequest: async () => {
        if (lifecycle.draining.aborted) throw refusals.draining();
      },
    },
    async (request) => {
      const { executor } = request.body.transform;
      if (executor !== 'scan@v1') {
        throw settings.deploymentMode === 'service'
          ? refusals.transformNotAllowed(executor)
          : refusals.transformUnknown(executor);
      }
      const state = engine.current();
      if (state.state !== 'ready') throw refusals.engineNotReady(state.reason);
      throw refusals.scansNotOffered();
    },
  );
}
