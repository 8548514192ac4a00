// The registry as a whole: names with their aliases and tags, versions by tag, changes that wait for approval, the audit.
import { z } from 'zod';
import { artifactUri, type PendingChange, readAudit, readEvents } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import { type DatasetReader, type OpenSession, readersIn } from '../../../notebook/index.ts';
import { auditBody, detailBody, detailObjectBody, queryInt } from '../../../protocol/index.ts';
import { anyCaller, needs } from '../../access.ts';
import { teamRelay } from '../../plugins/teamRelay.ts';
import type { App, Services } from '../../services.ts';
import { actorOf, storeOf, writableStore, writesEnabledGate } from './gates.ts';
import { readerBody } from './readers.ts';

const tags = ['registry'];
/** Tags of the service itself, which no overview shows. */
const ownTag = /^nb_/;
const maxEvents = 1000;

export function registryRoutes(app: App, services: Services): void {
  const relay = teamRelay(services);

  app.get(
    '/v1/registry/artifacts',
    {
      config: anyCaller(),
      preHandler: relay,
      schema: {
        tags,
        summary: 'Ready versions that carry a tag',
        querystring: z.object({ tag_key: z.string(), tag_value: z.string().optional() }),
        response: {
          200: z.object({ artifacts: z.array(z.looseObject({ uri: z.string() })) }),
          404: detailBody,
          502: detailBody,
        },
      },
    },
    async ({ query: { tag_key, tag_value }, caller }) => {
      const found = await storeOf(services).tags.search(actorOf(caller).tenant, tag_key, tag_value);
      return {
        artifacts: found.map(({ id, version, names, tags: all }) => {
          const { [tag_key]: value, ...others } = all;
          return { artifact_id: id, version, uri: artifactUri({ id, version }), names, tags: others, tag_value: value };
        }),
      };
    },
  );

  app.get(
    '/v1/registry/summary',
    {
      config: anyCaller(),
      preHandler: relay,
      schema: {
        tags,
        summary: 'Every name with its version, aliases, tags and the open notebooks that read it',
        response: {
          200: z.object({ names: z.array(z.looseObject({ name: z.string() })) }),
          404: detailBody,
          502: detailBody,
        },
      },
    },
    async ({ caller }) => {
      const seesAll = !caller.authenticated || caller.scopes.has('admin:*');
      const tenants = seesAll ? await storeOf(services).names.tenants() : [actorOf(caller).tenant];
      return { names: (await Promise.all(tenants.map((tenant) => namesOf(services, tenant)))).flat() };
    },
  );

  app.get(
    '/v1/registry/pending',
    {
      config: anyCaller(),
      preHandler: relay,
      schema: {
        tags,
        summary: 'Changes of protected aliases that wait for approval, oldest first',
        response: {
          200: z.object({ pending: z.array(z.looseObject({ name: z.string() })) }),
          404: detailBody,
          502: detailBody,
        },
      },
    },
    async ({ caller }) => {
      const pending = await storeOf(services).aliases.pending(actorOf(caller).tenant);
      return {
        pending: pending.map((change) => ({
          ...changeOf(change),
          requested_at: change.requestedAt,
          tenant: change.tenant,
        })),
      };
    },
  );

  pendingRoutes(app, services);
}

function pendingRoutes(app: App, services: Services): void {
  const relay = teamRelay(services);
  const decide = writesEnabledGate(services);
  const decision = z.object({ name: z.string(), alias: z.string() });
  const approval = decision.extend({
    artifact_id: z.string().nullable().optional().describe('With `version`, as the pending change was shown'),
    version: z.int().nullable().optional(),
  });
  const refused = { 400: detailBody, 403: detailObjectBody, 404: detailBody, 502: detailBody };

  app.post(
    '/v1/registry/pending/approve',
    {
      config: needs('admin:registry'),
      preHandler: relay,
      onRequest: decide,
      schema: {
        tags,
        summary: 'Let a queued change happen; one that names what it was shown lets nothing else happen',
        body: approval,
        response: {
          200: z.object({ status: z.literal('approved'), applied: z.looseObject({}) }),
          409: detailBody,
          ...refused,
        },
      },
    },
    async ({ body: { name, alias, artifact_id, version }, caller }) => {
      const alone = !caller.authenticated || caller.scopes.has('admin:*');
      const seen = { id: artifact_id, version };
      const change = await writableStore(services).aliases.approve(actorOf(caller), name, alias, { alone, seen });
      if (!change) throw refusals.pendingNotFound(name, alias);
      return { status: 'approved' as const, applied: changeOf(change) };
    },
  );

  app.post(
    '/v1/registry/pending/reject',
    {
      config: needs('admin:registry'),
      preHandler: relay,
      onRequest: decide,
      schema: {
        tags,
        summary: 'Drop a queued change',
        body: decision,
        response: { 200: z.object({ status: z.literal('rejected'), rejected: z.looseObject({}) }), ...refused },
      },
    },
    async ({ body: { name, alias }, caller }) => {
      const change = await writableStore(services).aliases.reject(actorOf(caller), name, alias);
      if (!change) throw refusals.pendingNotFound(name, alias);
      return { status: 'rejected' as const, rejected: changeOf(change) };
    },
  );

  app.get(
    '/v1/registry/audit',
    {
      config: anyCaller({ runToken: 'anywhere' }),
      preHandler: relay,
      schema: {
        tags,
        summary: 'Every change of the registry, newest first',
        querystring: z.object({
          name: z.string().optional(),
          artifact_id: z.string().optional(),
          limit: queryInt({ min: 1, max: 1000 }).default(100),
        }),
        response: { 200: z.object({ entries: z.array(auditBody) }), 404: detailBody, 502: detailBody },
      },
    },
    async ({ query: { name, artifact_id, limit }, caller }) => ({
      entries: await readAudit(storeOf(services).parts.database, {
        tenant: actorOf(caller).tenant,
        name,
        artifactId: artifact_id,
        limit,
      }),
    }),
  );

  app.get(
    '/v1/events',
    {
      config: anyCaller(),
      preHandler: relay,
      schema: {
        tags,
        summary: 'Changes of the registry after a number, oldest first',
        querystring: z.object({ since: queryInt().default(0), limit: queryInt().default(100) }),
        response: { 200: z.object({ events: z.array(auditBody), next: z.int() }), 404: detailBody, 502: detailBody },
      },
    },
    async ({ query: { since, limit }, caller }) => {
      const bounded = Math.min(maxEvents, Math.max(1, limit));
      const events = await readEvents(storeOf(services).parts.database, actorOf(caller).tenant, since, bounded);
      return { events, next: events.at(-1)?.seq ?? since };
    },
  );
}

async function namesOf(services: Services, tenant: string) {
  const store = storeOf(services);
  const aliases = Map.groupBy(await store.aliases.all(tenant), ({ name }) => name);
  const sessions = services.sessions
    .list()
    .filter((session) => session.tenant === undefined || (session.tenant ?? '') === tenant);
  const readers = Map.groupBy(distinctReaders(sessions), ({ name }) => name);
  const names = await store.names.list(tenant);
  return Promise.all(
    names.map(async (pointer) => ({
      tenant: tenant === '' ? null : tenant,
      name: pointer.name,
      artifact_id: pointer.id,
      version: pointer.version,
      uri: artifactUri(pointer),
      aliases: Object.fromEntries((aliases.get(pointer.name) ?? []).map((one) => [one.alias, one.version])),
      // Versions of a name are often those of several artifacts, each with a first version.
      alias_uris: Object.fromEntries((aliases.get(pointer.name) ?? []).map((one) => [one.alias, artifactUri(one)])),
      tags: Object.fromEntries(
        Object.entries(await store.tags.of(tenant, pointer)).filter(([key]) => !ownTag.test(key)),
      ),
      readers: (readers.get(pointer.name) ?? []).map(readerBody),
    })),
  );
}

/** A notebook that several have open is one notebook. */
const distinctReaders = (sessions: readonly OpenSession[]): DatasetReader[] => {
  const byNotebook = new Map(sessions.map(({ live }) => [live.directory, live]));
  return [...byNotebook.values()].flatMap(readersIn);
};

const changeOf = ({ name, alias, action, target, requestedBy }: PendingChange) => ({
  name,
  alias,
  action,
  artifact_id: target?.id ?? null,
  version: target?.version ?? null,
  requested_by: requestedBy,
});
