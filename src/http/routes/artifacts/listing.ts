// What the store holds: listed, and counted.
import { z } from 'zod';
import { artifactStates, artifactUri, listVersions, sortColumns, usageOf } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import {
  artifactList,
  artifactStats,
  artifactUsage,
  detailBody,
  detailObjectBody,
  queryInt,
} from '../../../protocol/index.ts';
import { anyCaller } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { storeOf } from './gates.ts';

const tags = ['artifacts'];
const orders = ['asc', 'desc'] as const;

function oneOf<T extends string>(what: string, allowed: readonly T[], given: string): T {
  const found = allowed.find((value) => value === given);
  if (found !== undefined) return found;
  const words = allowed.map((value) => `'${value}'`);
  throw refusals.listFilterInvalid(what, given, `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
}

export function listingRoutes(app: App, services: Services): void {
  const { settings } = services;

  app.get(
    '/v1/artifacts',
    {
      config: anyCaller({ personalOnly: 'artifact' }),
      schema: {
        tags,
        summary: 'Versions of the store, newest first unless told otherwise',
        querystring: z.object({
          limit: queryInt({ min: 1, max: 1000 }).default(100),
          offset: queryInt({ min: 0 }).default(0),
          state: z.string().optional(),
          name_prefix: z.string().optional(),
          since: z.coerce.number().optional(),
          sort: z.string().default('created_at'),
          order: z.string().default('desc'),
        }),
        response: { 200: artifactList, 400: detailBody, 403: detailObjectBody, 404: detailBody },
      },
    },
    async (request) => {
      const { limit, offset, state, name_prefix, since, sort, order } = request.query;
      const found = await listVersions(storeOf(services).parts, {
        limit,
        offset,
        state: state === undefined ? undefined : oneOf('state filter', artifactStates, state),
        namePrefix: name_prefix,
        since,
        sort: oneOf('sort', sortColumns, sort),
        order: oneOf('order', orders, order),
      });
      const artifacts = found.map((version) => ({
        artifact_uri: artifactUri(version),
        artifact_id: version.id,
        version: version.version,
        state: version.state,
        row_count: version.rowCount,
        byte_size: version.byteSize,
        created_at: version.createdAt,
      }));
      return { artifacts, limit, offset };
    },
  );

  const counted = { querystring: z.object({ tenant: z.string().optional() }) };
  const refused = { 400: detailBody, 403: detailObjectBody, 404: detailBody };

  app.get(
    '/v1/artifacts/stats',
    {
      config: anyCaller({ besides: '`admin:*` for another tenant' }),
      schema: { tags, summary: 'How much the store holds', ...counted, response: { 200: artifactStats, ...refused } },
    },
    async (request) => {
      const usage = await usageOf(storeOf(services).parts, countedTenant(request.caller, request.query.tenant));
      return artifactStats.parse(usage);
    },
  );

  app.get(
    '/v1/artifacts/usage',
    {
      config: anyCaller({ besides: '`admin:*` for another tenant' }),
      schema: {
        tags,
        summary: 'How much the store holds, and what of it nothing points at',
        ...counted,
        response: { 200: artifactUsage, ...refused },
      },
    },
    async (request) => usageOf(storeOf(services).parts, countedTenant(request.caller, request.query.tenant)),
  );

  /** Whose rows are counted; undefined counts all. */
  function countedTenant(caller: Caller, asked: string | undefined): string | undefined {
    if (settings.deploymentMode === 'personal') return undefined;
    if (!caller.authenticated) throw refusals.usageNeedsIdentity();
    if (caller.scopes.has('admin:*')) return asked;
    if (caller.tenant === null) throw refusals.tenantRequired('usage');
    if (asked !== undefined && asked !== caller.tenant) throw refusals.usageOfOthers();
    return caller.tenant;
  }
}
