// Notebooks from their creation to their end: create, open, close, delete, rename, and what a server offers for them.
import fs from 'node:fs/promises';
import path from 'node:path';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { refusals } from '../../../errors/index.ts';
import { HeldElsewhere } from '../../../nodes/index.ts';
import {
  type OpenSession,
  type OpenSessions,
  openNotebookRoot,
  renameNotebook,
  resolveInside,
  starterCells,
} from '../../../notebook/index.ts';
import {
  closeBody,
  createNotebookRequest,
  detailBody,
  detailObjectBody,
  notebookState,
  openNotebookRequest,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import { forward, wasForwarded } from '../../forward.ts';
import type { App, Services } from '../../services.ts';
import { openedState, serverConfig, sessionOf, sessionParams } from './shared.ts';

const tags = ['notebooks'];

export function lifecycleRoutes(app: App, services: Services): void {
  const { settings, sessions, pythons } = services;

  app.post(
    '/v1/notebooks/create',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Create a notebook; its environment is built in the background',
        body: createNotebookRequest,
        response: { 200: notebookState, 400: detailBody, 409: detailObjectBody },
      },
    },
    async (request, reply) => {
      const { parent_path, name, python_version, starter_cell } = request.body;
      const found = await pythons(({ version }) => version === (python_version ?? version));
      const available = found.map(({ version }) => version);
      const version = python_version ?? available[0];
      if (version === undefined || !available.includes(version)) throw refusals.pythonNotAvailable(version ?? '3');
      const parent = await resolveInside(await openNotebookRoot(settings, request.caller), parent_path, 'parent path');
      const session = await sessions.create(
        parent,
        { name, pythonVersion: version, cells: starter_cell ? starterCells() : [] },
        request.caller,
      );
      return openedState(services, request, reply, session);
    },
  );

  app.post(
    '/v1/notebooks/open',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Open a notebook, or find the session that already has it open',
        body: openNotebookRequest,
        response: { 200: notebookState, 400: detailBody, 404: detailBody },
      },
    },
    async (request, reply) => {
      const place = await resolveInside(
        await openNotebookRoot(settings, request.caller),
        request.body.path,
        'notebook path',
      );
      const found = await openHere(sessions, place, request);
      if (found instanceof HeldElsewhere) return forward(request, reply, found, services.homes);
      return openedState(services, request, reply, found);
    },
  );

  app.get(
    '/v1/notebooks/read',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'Open a notebook to read it: nothing is made for it, and what it holds stays as it is',
        querystring: openNotebookRequest,
        response: { 200: notebookState, 400: detailBody, 404: detailBody },
      },
    },
    async (request, reply) => {
      const root = await openNotebookRoot(settings, request.caller);
      const place = await resolveInside(root, request.query.path, 'notebook path');
      const found = await openHere(sessions, place, request, { sync: false });
      if (found instanceof HeldElsewhere) return forward(request, reply, found, services.homes);
      return openedState(services, request, reply, found);
    },
  );

  app.post(
    '/v1/notebooks/:session_id/close',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Close a session; its files stay',
        params: sessionParams,
        response: { 200: closeBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      // What runs goes on as long as a colleague has the notebook open.
      const isLast = session.notebook.sessions().length === 1;
      if (isLast && session.live.runner.active()) throw refusals.closingWhileRunning();
      if (isLast && session.environment.isBusy()) throw refusals.environmentBusy(session.environment.job());
      await sessions.close(session.sessionId, 'closed');
      return { closed: true as const, session_id: session.sessionId, path: session.live.directory };
    },
  );

  app.delete(
    '/v1/notebooks/:session_id',
    {
      config: needs('notebook:write', { personalOnly: 'notebook' }),
      schema: {
        tags,
        summary: 'Delete a notebook and its directory (personal mode)',
        params: sessionParams,
        response: {
          200: z.object({ deleted: z.literal(true), session_id: z.string(), name: z.string(), path: z.string() }),
          409: detailObjectBody,
        },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      session.live.assertFree('edit');
      if (session.live.runner.active()) throw refusals.deletingWhileRunning();
      if (session.environment.isBusy()) throw refusals.environmentBusy(session.environment.job());
      const { directory, name } = session.live.notebook();
      await sessions.delete(directory);
      return { deleted: true as const, session_id: session.sessionId, name, path: directory };
    },
  );

  openNotebookRoutes(app, services);
}

function openNotebookRoutes(app: App, services: Services): void {
  const { settings, sessions } = services;

  app.post(
    '/v1/notebooks/delete-by-path',
    {
      config: needs('notebook:write', { personalOnly: 'notebook' }),
      schema: {
        tags,
        summary: 'Delete a notebook by its path (personal mode)',
        body: openNotebookRequest,
        response: {
          200: z.object({ deleted: z.literal(true), path: z.string() }),
          400: detailBody,
          404: detailBody,
          409: detailObjectBody,
        },
      },
    },
    async (request, reply) => {
      const root = await openNotebookRoot(settings, request.caller);
      const directory = await resolveInside(root, request.body.path, 'notebook path');
      if (!(await holdsNotebook(root, request.body.path))) throw refusals.notebookGone(request.body.path);
      const home = wasForwarded(request.headers) ? undefined : await services.homes.of(directory);
      if (home !== undefined) return forward(request, reply, new HeldElsewhere(home, directory), services.homes);
      const open = sessions.list().find(({ live }) => live.directory === directory);
      open?.live.assertFree('edit');
      if (open?.live.runner.active()) throw refusals.deletingWhileRunning();
      if (open?.environment.isBusy()) throw refusals.environmentBusy(open.environment.job());
      await sessions.delete(directory);
      return { deleted: true as const, path: directory };
    },
  );

  app.put(
    '/v1/notebooks/:session_id/name',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Rename a notebook; its directory keeps its name',
        params: sessionParams,
        body: z.object({
          name: z
            .string()
            .min(1)
            .max(255)
            .refine((name) => name.trim() !== '', 'Notebook name must not be blank'),
        }),
        response: { 200: z.object({ notebook_id: z.string(), name: z.string() }), 400: detailBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      await session.configure((notebook) => renameNotebook(notebook, request.body.name.trim()));
      const { id, name } = session.live.notebook();
      return { notebook_id: id, name };
    },
  );

  app.post(
    '/v1/notebooks/recents/validate',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Which of these paths still hold a notebook of the caller',
        body: z.object({ paths: z.array(z.string()).max(100).default([]) }),
        response: { 200: z.object({ valid: z.array(z.string()) }) },
      },
    },
    async (request) => {
      const root = await openNotebookRoot(settings, request.caller);
      const checked = await Promise.all(request.body.paths.map((place) => holdsNotebook(root, place)));
      return { valid: request.body.paths.filter((_, index) => checked[index]) };
    },
  );

  app.get(
    '/v1/notebooks/config',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What this server offers for notebooks',
        response: { 200: z.looseObject({ deployment_mode: z.string() }) },
      },
    },
    async (request) => serverConfig(services, request.caller),
  );
}

/** The session, or the server that has the notebook; one that another server has sent here is not sent on. */
const openHere = (
  sessions: OpenSessions,
  place: string,
  { caller, headers }: FastifyRequest,
  options: { readonly sync: boolean } = { sync: true },
): Promise<OpenSession | HeldElsewhere> =>
  sessions.open(place, caller, options).catch((error: unknown) => {
    if (error instanceof HeldElsewhere && !wasForwarded(headers)) return error;
    throw error;
  });

async function holdsNotebook(root: string, place: string): Promise<boolean> {
  if (place === '') return false;
  try {
    const directory = await resolveInside(root, place, 'path');
    return (await fs.stat(path.join(directory, 'notebook.toml'))).isFile();
  } catch {
    return false;
  }
}
