// Workers of a notebook: the list with how each one is, the notebook's own definitions, and its default.
import { z } from 'zod';
import { refusals } from '../../../errors/index.ts';
import { type OpenSession, setNotebookWorker, setWorkers, shownTable, unshown } from '../../../notebook/index.ts';
import {
  cellRecord,
  configuredWorkersBody,
  detailBody,
  detailObjectBody,
  workerSpec,
  workersBody,
} from '../../../protocol/index.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf, sessionParams } from './shared.ts';

export function workerRoutes(app: App, services: Services): void {
  const tags = ['workers'];
  const { remote } = services;

  async function listOf({ live }: OpenSession, fresh = false) {
    const notebook = live.notebook();
    const annotated = live.cellRecords().flatMap(({ annotations }) => {
      const { worker } = z.looseObject({ worker: z.string().nullish() }).parse(annotations);
      return worker ?? [];
    });
    const referenced = [notebook.worker, ...notebook.cells.map(({ worker }) => worker), ...annotated];
    const listed = {
      own: notebook.workers,
      registered: await remote.registry.refresh(),
      referenced: referenced.filter((name) => name !== null),
      isEditable: remote.catalog.isEditable,
    };
    return {
      workers: await remote.listing.list(listed, { fresh }),
      definitions_editable: remote.catalog.isEditable,
      health_checked_at: Date.now(),
    };
  }

  app.get(
    '/v1/notebooks/:session_id/workers',
    { schema: { tags, summary: 'Workers and how they are', params: sessionParams, response: { 200: workersBody } } },
    (request) => listOf(sessionOf(services, request.params.session_id)),
  );

  app.put(
    '/v1/notebooks/:session_id/workers',
    {
      schema: {
        tags,
        summary: 'Replace the workers that the notebook defines; a masked token keeps what is there',
        params: sessionParams,
        body: z.object({ workers: z.array(workerSpec) }),
        response: { 200: configuredWorkersBody, 400: detailBody, 403: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      if (!remote.catalog.isEditable) throw refusals.workersNotEditable();
      await session.live.change((notebook) => {
        const before = new Map(notebook.workers.map(({ name, config }) => [name, config]));
        const workers = request.body.workers.map((worker) => ({
          ...worker,
          config: unshown(worker.config, before.get(worker.name) ?? {}),
        }));
        return setWorkers(notebook, workers);
      });
      const configured_workers = session.live
        .notebook()
        .workers.map(({ config, ...worker }) => ({ ...worker, config: shownTable(config) }));
      return { configured_workers, ...(await listOf(session)) };
    },
  );

  app.put(
    '/v1/notebooks/:session_id/worker',
    {
      schema: {
        tags,
        summary: 'The default worker of a notebook; null runs its cells here',
        params: sessionParams,
        body: z.object({ worker: z.string().min(1).nullable() }),
        response: {
          200: workersBody.extend({ worker: z.string().nullable(), cells: z.array(cellRecord) }),
          403: detailBody,
          409: detailObjectBody,
        },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { worker } = request.body;
      const own = session.live.notebook().workers;
      const isKnown = worker === null || worker === 'local' || remote.catalog.find(own, worker) !== undefined;
      if (!isKnown && !remote.catalog.isEditable) throw refusals.workerNotAllowed(worker);
      await session.live.change((notebook) => setNotebookWorker(notebook, worker));
      if (worker !== null) remote.hints.give(session.sessionId, session.live.notebook(), worker, 'select');
      const { worker: chosen } = session.live.notebook();
      return { worker: chosen, ...(await listOf(session)), cells: session.live.cellRecords() };
    },
  );
}
