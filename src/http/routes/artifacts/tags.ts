// Tags on versions.
import { z } from 'zod';
import { refusals } from '../../../errors/index.ts';
import { detailBody, detailObjectBody } from '../../../protocol/index.ts';
import { anyCaller, needs } from '../../access.ts';
import { teamRelay } from '../../plugins/teamRelay.ts';
import type { App, Services } from '../../services.ts';
import { actorOf, addressIn, storeOf, versionParams, writableStore } from './gates.ts';

const tags = ['registry'];

export function tagRoutes(app: App, services: Services): void {
  const relay = teamRelay(services);
  const refused = { 403: detailObjectBody, 404: detailBody, 502: detailBody };

  app.get(
    '/v1/artifacts/:artifact_id/v/:version/tags',
    {
      config: anyCaller({ runToken: 'anywhere' }),
      preHandler: relay,
      schema: {
        tags,
        summary: 'The tags of a version',
        params: versionParams,
        response: {
          200: z.object({ artifact_id: z.string(), version: z.int(), tags: z.record(z.string(), z.string()) }),
          404: detailBody,
          502: detailBody,
        },
      },
    },
    async ({ params, caller }) => ({
      artifact_id: params.artifact_id,
      version: params.version,
      tags: await storeOf(services).tags.of(actorOf(caller).tenant, addressIn(params)),
    }),
  );

  app.put(
    '/v1/artifacts/:artifact_id/v/:version/tags',
    {
      config: needs('artifacts:write', { runToken: 'anywhere' }),
      preHandler: relay,
      schema: {
        tags,
        summary: 'Set one tag',
        params: versionParams,
        body: z.object({ key: z.string(), value: z.string() }),
        response: { 200: z.looseObject({ artifact_id: z.string(), version: z.int() }), ...refused },
      },
    },
    async ({ params, body: { key, value }, caller }) => {
      await writableStore(services).tags.set(actorOf(caller), addressIn(params), key, value);
      return { artifact_id: params.artifact_id, version: params.version, [key]: value };
    },
  );

  app.delete(
    '/v1/artifacts/:artifact_id/v/:version/tags/:key',
    {
      config: needs('artifacts:write'),
      preHandler: relay,
      schema: {
        tags,
        summary: 'Take a tag away',
        params: versionParams.extend({ key: z.string() }),
        response: {
          200: z.object({ status: z.string(), artifact_id: z.string(), version: z.int(), key: z.string() }),
          ...refused,
        },
      },
    },
    async ({ params, caller }) => {
      const { artifact_id, version, key } = params;
      if (!(await writableStore(services).tags.remove(actorOf(caller), addressIn(params), key)))
        throw refusals.tagNotFound(key);
      return { status: 'deleted', artifact_id, version, key };
    },
  );
}
