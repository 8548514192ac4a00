// Workers of a notebook: the list with how each one is, the notebook's own definitions, and its default.
import { z } from 'zod';
import { createWorkerDesk, usualWorkerPort } from '../../../desk/index.ts';
import { type OpenSession, shownWorker } from '../../../notebook/index.ts';
import {
  cellRecord,
  configuredWorkersBody,
  detailBody,
  detailObjectBody,
  sshWorker,
  workerSpec,
  workersBody,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
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
    {
      config: needs('notebook:read'),
      schema: { tags, summary: 'Workers and how they are', params: sessionParams, response: { 200: workersBody } },
    },
    (request) => listOf(sessionOf(services, request.params.session_id)),
  );

  app.put(
    '/v1/notebooks/:session_id/workers',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Replace the workers that the notebook defines; a masked token keeps what is there',
        params: sessionParams,
        body: z.object({ workers: z.array(workerSpec).default([]) }),
        response: { 200: configuredWorkersBody, 400: detailBody, 403: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      await createWorkerDesk(session, remote).replace(request.body.workers);
      const configured_workers = session.live.notebook().workers.map(shownWorker);
      return { configured_workers, ...(await listOf(session)) };
    },
  );

  app.put(
    '/v1/notebooks/:session_id/worker',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'The default worker of a notebook; null runs its cells here',
        params: sessionParams,
        body: z.object({ worker: z.string().max(200).trim().nullable() }),
        response: {
          200: workersBody.extend({ worker: z.string().nullable(), cells: z.array(cellRecord) }),
          403: detailBody,
          409: detailObjectBody,
        },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      await createWorkerDesk(session, remote).choose(request.body.worker || null);
      const { worker: chosen } = session.live.notebook();
      return { worker: chosen, ...(await listOf(session)), cells: session.live.cellRecords() };
    },
  );

  const tunnels = z.object({ tunnels: z.array(sshWorker) });
  app.get(
    '/v1/notebooks/:session_id/workers/ssh',
    {
      config: needs('notebook:read'),
      schema: { tags, summary: 'Workers behind ssh tunnels', params: sessionParams, response: { 200: tunnels } },
    },
    async () => ({ tunnels: await remote.ssh.list() }),
  );

  app.post(
    '/v1/notebooks/:session_id/workers/ssh',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary:
          'Start a worker on a machine that ssh reaches, installed there if need be, and define it in the notebook',
        params: sessionParams,
        body: sshRequest,
        response: { 200: workersBody.extend({ worker: sshWorker }), 400: detailBody, 403: detailBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { ssh_target, name = null, set_default, remote_port, local_port, install, pin } = request.body;
      const worker = await createWorkerDesk(session, remote).connect({
        target: ssh_target,
        name,
        isDefault: set_default,
        remotePort: remote_port,
        localPort: local_port,
        install,
        pin,
      });
      return { worker, ...(await listOf(session)) };
    },
  );

  app.delete(
    '/v1/notebooks/:session_id/workers/ssh/:worker_name',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Close a tunnel and take its worker out of the notebook',
        params: sessionParams.extend({ worker_name: z.string() }),
        querystring: z.object({ stop_remote: z.stringbool().default(false) }),
        response: { 200: workersBody.extend({ torn_down: z.boolean() }), 400: detailBody, 403: detailBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const torn_down = await createWorkerDesk(session, remote).disconnect(request.params.worker_name, {
        stopRemote: request.query.stop_remote,
      });
      return { torn_down, ...(await listOf(session)) };
    },
  );
}

const port = z.int().min(1).max(65_535);

const sshRequest = z.object({
  ssh_target: z.string().min(1).max(255),
  name: workerSpec.shape.name.optional(),
  set_default: z.boolean().default(false),
  remote_port: port.default(usualWorkerPort),
  local_port: port.nullable().default(null),
  extras: z.string().max(200).default('notebook'),
  pin: z.string().max(100).nullable().default(null),
  install: z.boolean().default(true),
});
