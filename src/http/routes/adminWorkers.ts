// The server's registry of workers, as an operator edits it. No answer carries a token, not even the one just sent.
import { z } from 'zod';
import { refusals } from '../../errors/index.ts';
import { shownTable, unshown } from '../../notebook/index.ts';
import { configuredWorkersBody, detailBody, serverWorkerSpec } from '../../protocol/index.ts';
import type { ServerWorker } from '../../workers/index.ts';
import { needs } from '../access.ts';
import type { App, Services } from '../services.ts';

export function adminWorkerRoutes(app: App, { remote }: Services): void {
  const tags = ['admin'];
  const { registry, listing, probes } = remote;
  const named = z.object({ name: z.string() });
  const response = { 200: configuredWorkersBody, 400: detailBody, 404: detailBody, 409: detailBody };

  async function answer(workers: readonly ServerWorker[], fresh = false) {
    const listed = { own: [], registered: workers, referenced: [], isEditable: false };
    return {
      configured_workers: workers.map(({ config, ...worker }) => ({ ...worker, config: shownTable(config) })),
      workers: (await listing.list(listed, { fresh })).filter(({ source }) => source === 'server'),
      definitions_editable: false,
      health_checked_at: Date.now(),
    };
  }

  /** A masked token stands for the one that is there. */
  const merged = (worker: ServerWorker, workers: readonly ServerWorker[]): ServerWorker => ({
    ...worker,
    config: unshown(worker.config, workers.find(({ name }) => name === worker.name)?.config ?? {}),
  });

  const known = (workers: readonly ServerWorker[], name: string): void => {
    if (!workers.some((worker) => worker.name === name)) throw refusals.workerNotFound(name);
  };

  app.get(
    '/v1/admin/notebook-workers',
    {
      config: needs('admin:notebook-workers'),
      schema: {
        tags,
        summary: 'Workers of this server and how they are',
        querystring: z.object({ refresh: z.stringbool().default(false) }),
        response,
      },
    },
    async (request) => answer(await registry.refresh(), request.query.refresh),
  );

  app.put(
    '/v1/admin/notebook-workers',
    {
      config: needs('admin:notebook-workers'),
      schema: {
        tags,
        summary: 'Replace the workers of this server',
        body: z.object({ workers: z.array(serverWorkerSpec) }),
        response,
      },
    },
    async (request) =>
      answer(await registry.change((before) => request.body.workers.map((worker) => merged(worker, before)))),
  );

  app.post(
    '/v1/admin/notebook-workers',
    {
      config: needs('admin:notebook-workers'),
      schema: { tags, summary: 'Add a worker', body: serverWorkerSpec, response },
    },
    async (request) => {
      const { body } = request;
      const changed = await registry.change((before) => {
        if (before.some(({ name }) => name === body.name)) throw refusals.workerTaken(body.name);
        return [...before, body];
      });
      return answer(changed);
    },
  );

  app.put(
    '/v1/admin/notebook-workers/:name',
    {
      config: needs('admin:notebook-workers'),
      schema: { tags, summary: 'Replace one worker', params: named, body: serverWorkerSpec, response },
    },
    async (request) => {
      const { name } = request.params;
      const changed = await registry.change((before) => {
        known(before, name);
        if (request.body.name !== name && before.some((worker) => worker.name === request.body.name))
          throw refusals.workerTaken(request.body.name);
        return before.map((worker) => (worker.name === name ? merged(request.body, before) : worker));
      });
      return answer(changed);
    },
  );

  app.patch(
    '/v1/admin/notebook-workers/:name',
    {
      config: needs('admin:notebook-workers'),
      schema: {
        tags,
        summary: 'Turn a worker on or off',
        params: named,
        body: z.object({ enabled: z.boolean() }),
        response,
      },
    },
    async (request) => {
      const { name } = request.params;
      const { enabled } = request.body;
      const changed = await registry.change((before) => {
        known(before, name);
        return before.map((worker) => (worker.name === name ? { ...worker, enabled } : worker));
      });
      return answer(changed);
    },
  );

  app.delete(
    '/v1/admin/notebook-workers/:name',
    { config: needs('admin:notebook-workers'), schema: { tags, summary: 'Remove a worker', params: named, response } },
    async (request) => {
      const changed = await registry.change((before) => {
        known(before, request.params.name);
        return before.filter(({ name }) => name !== request.params.name);
      });
      return answer(changed);
    },
  );

  app.post(
    '/v1/admin/notebook-workers/:name/refresh',
    {
      config: needs('admin:notebook-workers'),
      schema: { tags, summary: 'Ask a worker how it is, now', params: named, response },
    },
    async (request) => {
      const workers = await registry.refresh();
      known(workers, request.params.name);
      return answer(workers, true);
    },
  );

  app.post(
    '/v1/admin/notebook-workers/reload',
    {
      config: needs('admin:notebook-workers'),
      schema: { tags, summary: 'Read the registry again and forget workers that it does not list', response },
    },
    async () => {
      const listed = await answer(await registry.refresh(), true);
      probes.keepOnly(new Set(listed.workers.flatMap(({ health_url }) => health_url ?? [])));
      return listed;
    },
  );
}
