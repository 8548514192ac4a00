// A notebook's own artifacts: what its cells have put into the registry and read from it, and promoting one to the team's
// store.
import { z } from 'zod';
import { type ArtifactAddress, artifactUri, promote } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { readersIn } from '../../../notebook/index.ts';
import { detailBody, queryInt } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { actorOf } from '../artifacts/gates.ts';
import { readerBody } from '../artifacts/readers.ts';
import { sessionOf } from './shared.ts';

const request = z
  .object({
    name: z.string().min(1).max(512).nullable().default(null),
    alias: z.string().max(128).nullable().default(null),
    tags: z.record(z.string(), z.string()).default({}),
    table: z.string().max(1024).nullable().default(null),
  })
  .default({ name: null, alias: null, tags: {}, table: null });

/** What the client of a cell stamps on a result that it names. */
const cellTag = 'nb_cell';

const namedVersion = z.object({
  artifact_id: z.string(),
  version: z.int(),
  uri: z.string(),
  names: z.array(z.string()),
  tags: z.record(z.string(), z.string()),
});
const readerSchema = z.object({ notebook_id: z.string(), cell_id: z.string(), reference: z.string() });
const taggedVersions = z.object({ artifacts: z.array(namedVersion.extend({ tag_value: z.string() })) });

export function notebookArtifactRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/artifacts',
    {
      config: needs('notebook:read'),
      schema: {
        tags: ['artifacts'],
        summary: 'What the cells have put into the registry under a name, and which names they read from it',
        params: z.object({ session_id: z.string() }),
        response: {
          200: z.object({
            cells: z.record(z.string(), z.array(namedVersion)),
            readers: z.record(z.string(), z.array(readerSchema)),
          }),
          404: detailBody,
          502: detailBody,
        },
      },
    },
    async ({ params, caller }) => {
      const { live } = sessionOf(services, params.session_id);
      const ours = new Set(live.notebook().cells.map(({ id }) => id));
      const stamped = (await stampedVersions(services, caller)).filter(({ tag_value }) => ours.has(tag_value));
      const byCell = Map.groupBy(stamped, ({ tag_value }) => tag_value);
      const readers = Map.groupBy(readersIn(live), ({ name }) => name);
      return {
        cells: Object.fromEntries([...byCell].map(([id, list]) => [id, list.map(({ tag_value: _, ...one }) => one)])),
        readers: Object.fromEntries([...readers].map(([name, list]) => [name, list.map(readerBody)])),
      };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/artifacts/:artifact_id/v/:version/promote',
    {
      config: needs('notebook:write', { runToken: 'own session' }),
      schema: {
        tags: ['artifacts'],
        summary: 'Copy a version and what it was made from to the team’s store, and name it there',
        params: z.object({ session_id: z.string(), artifact_id: z.string(), version: queryInt() }),
        body: request,
        response: {
          200: z.object({
            name: z.string().nullable(),
            artifact_uri: z.string(),
            copied: z.int(),
            alias: z.string().nullable(),
            alias_pending: z.boolean(),
            table: z.string().nullable(),
            table_snapshot: z.unknown().meta({ description: 'A 64-bit integer; null without a table' }),
            store: z.string(),
          }),
          400: detailBody,
          409: detailBody,
          502: detailBody,
        },
      },
    },
    async ({ params, body: { name, alias, tags, table }, caller }) => {
      const { live } = sessionOf(services, params.session_id);
      const { teamStore } = services;
      if (!teamStore) throw refusals.noTeamStore();
      const address = { id: params.artifact_id, version: params.version };
      const version = await live.artifact(address);
      if (!version) throw refusals.notInNotebook(address.id, address.version);
      if (alias !== null && name === null) throw refusals.aliasNeedsName();
      const source = { get: live.artifact, fileOf: async (one: ArtifactAddress) => live.blobPath(one) };
      const promoted = await promote(teamStore, source, version, { name, alias, tags, table }, caller.principal);
      return {
        name,
        artifact_uri: artifactUri(promoted.address),
        copied: promoted.copied,
        alias,
        alias_pending: promoted.aliasPending,
        table,
        table_snapshot: promoted.tableSnapshot,
        store: teamStore.url,
      };
    },
  );
}

/** Versions that cells have named, wherever names are kept. */
async function stampedVersions({ teamStore, artifacts }: Services, caller: Caller) {
  if (teamStore) {
    const { body } = await teamStore.ask('GET', `/v1/registry/artifacts?tag_key=${cellTag}`, null, caller.principal);
    return taggedVersions.parse(body).artifacts;
  }
  const found = (await artifacts?.tags.search(actorOf(caller).tenant, cellTag, undefined)) ?? [];
  return found.map(({ id, version, names, tags: { [cellTag]: tag_value = '', ...tags } }) => ({
    artifact_id: id,
    version,
    uri: artifactUri({ id, version }),
    names: [...names],
    tags,
    tag_value,
  }));
}
