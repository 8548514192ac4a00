// A notebook's own artifacts: promoting one to the team's store.
import { z } from 'zod';
import { type ArtifactAddress, artifactUri, promote } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import { detailBody, queryInt } from '../../../protocol/index.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf } from './shared.ts';

const request = z
  .object({
    name: z.string().min(1).max(512).nullable().default(null),
    alias: z.string().max(128).nullable().default(null),
    tags: z.record(z.string(), z.string()).default({}),
    table: z.string().max(1024).nullable().default(null),
  })
  .default({ name: null, alias: null, tags: {}, table: null });

export function notebookArtifactRoutes(app: App, services: Services): void {
  app.post(
    '/v1/notebooks/:session_id/artifacts/:artifact_id/v/:version/promote',
    {
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
            table_snapshot: z.int().nullable(),
            store: z.string(),
          }),
          400: detailBody,
          409: detailBody,
          501: detailBody,
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
      if (table !== null) throw refusals.tableExportNotOffered();
      const source = { get: live.artifact, fileOf: async (one: ArtifactAddress) => live.blobPath(one) };
      const promoted = await promote(teamStore, source, version, { name, alias, tags }, caller.principal);
      return {
        name,
        artifact_uri: artifactUri(promoted.address),
        copied: promoted.copied,
        alias,
        alias_pending: promoted.aliasPending,
        table: null,
        table_snapshot: null,
        store: teamStore.url,
      };
    },
  );
}
