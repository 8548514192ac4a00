// Where a notebook's data lies: the databases and the mounts it names, and what a database holds. Nothing shown here holds a
// secret, and what was shown may be sent back as it is.
import { z } from 'zod';
import {
  type Connection,
  checkMounts,
  connectionInMemory,
  connectionName,
  connectionSchema,
  mountSchema,
  type Notebook,
  setConnections,
  setMounts,
  shownConnection,
  shownMalformed,
  shownMount,
  unshown,
} from '../../../notebook/index.ts';
import {
  cellRecord,
  databaseSchemaBody,
  detailBody,
  detailObjectBody,
  mountFoundBody,
  tablePreviewBody,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf, sessionParams } from './shared.ts';

const givenConnection = connectionSchema.extend({ name: connectionName });
const anything = z.record(z.string(), z.unknown());

/** Keys that the service itself gives to drivers; nobody else may. */
const internal: ReadonlySet<string> = new Set(['catalog_properties', 'confine_to', 'mount_sources']);

const tags = ['notebooks'];
const cells = z.array(cellRecord);
/** A store may take its time for a long listing. */
const testMilliseconds = 30_000;

export function connectionRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/connections',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'The connections of a notebook, without their secrets',
        params: sessionParams,
        response: { 200: z.object({ connections: z.array(anything) }) },
      },
    },
    async (request) => {
      const { live } = sessionOf(services, request.params.session_id);
      return { connections: live.notebook().connections.map(shownConnection) };
    },
  );

  app.put(
    '/v1/notebooks/:session_id/connections',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Replace the connections of a notebook; literal credentials stay in memory alone',
        params: sessionParams,
        body: z.object({ connections: z.array(givenConnection).default([]) }),
        response: {
          200: z.object({ connections: z.array(anything), malformed_connections: z.array(anything), cells }),
          400: detailBody,
          409: detailObjectBody,
        },
      },
    },
    async (request) => {
      const { live, connections, configure } = sessionOf(services, request.params.session_id);
      const given = request.body.connections.map((one) => connectionOf(one, live.notebook()));
      connections.check(given);
      await configure((notebook) => setConnections(notebook, given));
      const notebook = live.notebook();
      return {
        connections: notebook.connections.map(shownConnection),
        malformed_connections: notebook.malformedConnections.map(shownMalformed),
        cells: live.cellRecords(),
      };
    },
  );

  app.get(
    '/v1/notebooks/:session_id/connections/:name/schema',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'Tables and columns of a database, opened read-only',
        params: sessionParams.extend({ name: z.string() }),
        response: { 200: databaseSchemaBody, 400: detailBody, 404: detailBody, 502: detailBody },
      },
    },
    async (request) => {
      const { connections } = sessionOf(services, request.params.session_id);
      const { name } = request.params;
      const { driver, tables } = await connections.tables(name);
      return {
        connection: name,
        driver,
        tables: tables.map((table) => ({ ...table, columns: [...table.columns] })),
      };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/connections/:name/preview',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'The first rows of a table, opened read-only',
        params: sessionParams.extend({ name: z.string() }),
        body: z.object({
          table: z.string().min(1),
          schema: z.string().optional(),
          catalog: z.string().optional(),
        }),
        response: { 200: tablePreviewBody, 400: detailBody, 404: detailBody, 502: detailBody },
      },
    },
    async (request) => {
      const { connections } = sessionOf(services, request.params.session_id);
      const { catalog, schema, table } = request.body;
      const parts = [catalog, schema, table].filter((part) => part !== undefined);
      return connections.preview(request.params.name, parts);
    },
  );

  mountRoutes(app, services);
}

function mountRoutes(app: App, services: Services): void {
  app.post(
    '/v1/notebooks/:session_id/mounts/test',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Whether a mount can be opened as it is given, and how much lies there; nothing is saved',
        params: sessionParams,
        body: z.object({ mount: mountSchema }),
        response: { 200: mountFoundBody, 400: detailBody },
      },
    },
    async (request) => {
      const { live, testMount } = sessionOf(services, request.params.session_id);
      const mount = mountOf(request.body.mount, live.notebook());
      checkMounts([mount]);
      return testMount(mount, AbortSignal.timeout(testMilliseconds));
    },
  );

  app.put(
    '/v1/notebooks/:session_id/mounts',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Replace the mounts of a notebook',
        params: sessionParams,
        body: z.object({ mounts: z.array(mountSchema).default([]) }),
        response: { 200: z.object({ mounts: z.array(mountSchema), cells }), 400: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const { live, configure } = sessionOf(services, request.params.session_id);
      await configure((notebook) =>
        setMounts(
          notebook,
          request.body.mounts.map((one) => mountOf(one, notebook)),
        ),
      );
      return { mounts: live.notebook().mounts.map(shownMount), cells: live.cellRecords() };
    },
  );
}

/** What was shown and is sent back stands for what is there. */
function connectionOf(given: z.infer<typeof givenConnection>, notebook: Notebook): Connection {
  const { name, driver, auth, options, credential, ...rest } = given;
  const extras = Object.fromEntries(Object.entries(rest).filter(([key]) => !internal.has(key)));
  const current = notebook.connections.find((one) => one.name === name);
  const whole = {
    name,
    driver,
    auth,
    credential,
    options: unshown(options, current?.options ?? {}),
    extras: unshown(extras, current?.extras ?? {}),
  };
  return connectionInMemory(whole, current);
}

function mountOf(given: z.infer<typeof mountSchema>, notebook: Notebook): z.infer<typeof mountSchema> {
  const current = notebook.mounts.find(({ name }) => name === given.name);
  return { ...given, options: unshown(given.options, current?.options ?? {}) };
}
