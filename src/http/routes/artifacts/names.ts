// Names and their aliases. A name may hold slashes, so one wildcard route stands for the name and for what lies below it.
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { artifactUri, nameUri } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { addressRequest, detailBody, detailObjectBody } from '../../../protocol/index.ts';
import { anyCaller, needs } from '../../access.ts';
import { teamRelay } from '../../plugins/teamRelay.ts';
import type { App, Services } from '../../services.ts';
import { actorOf, nameParams, storeOf, writableStore } from './gates.ts';

const tags = ['registry'];
const params = z.object({ '*': z.string() });
const aliasParams = nameParams.extend({ alias: z.string() });
const pointer = z.object({ artifact_uri: z.string(), version: z.int(), updated_at: z.number() });
const aliasList = z.object({
  name: z.string(),
  aliases: z.array(z.object({ alias: z.string(), artifact_id: z.string(), version: z.int(), updated_at: z.number() })),
});
const aliasPointer = z.object({
  name: z.string(),
  alias: z.string(),
  artifact_uri: z.string(),
  artifact_id: z.string(),
  version: z.int(),
  state: z.string().nullable(),
});
const aliasChange = z.object({ status: z.string(), name: z.string(), alias: z.string() });

/** `<name>`, `<name>/aliases` or `<name>/aliases/<alias>`. */
function readPath(path: string): { name: string; aliases: boolean; alias: string | undefined } {
  const match = /^(.*?)\/aliases(?:\/(.*))?$/s.exec(path);
  if (match?.[1] === undefined) return { name: path, aliases: false, alias: undefined };
  return { name: match[1], aliases: true, alias: match[2] };
}

export function nameRoutes(app: App, services: Services): void {
  const relay = teamRelay(services);
  const refused = { 400: detailBody, 403: detailObjectBody, 404: detailBody, 502: detailBody };

  app.get(
    '/v1/names',
    {
      config: anyCaller(),
      preHandler: relay,
      schema: {
        tags,
        summary: 'Every name',
        response: {
          200: z.object({
            names: z.array(z.object({ name: z.string(), artifact_uri: z.string(), updated_at: z.number() })),
          }),
        },
      },
    },
    async ({ caller }) => {
      const names = await storeOf(services).names.list(actorOf(caller).tenant);
      return {
        names: names.map((one) => ({ name: one.name, artifact_uri: artifactUri(one), updated_at: one.updatedAt })),
      };
    },
  );

  app.post(
    '/v1/names',
    {
      config: needs('artifacts:write', { runToken: 'anywhere' }),
      preHandler: relay,
      schema: {
        tags,
        summary: 'Point a name at a version',
        body: addressRequest.extend({ name: z.string() }),
        response: { 200: z.object({ name_uri: z.string(), artifact_uri: z.string() }), ...refused },
      },
    },
    async ({ body, caller }) => {
      const target = { id: body.artifact_id, version: body.version };
      await writableStore(services).names.set(actorOf(caller), body.name, target);
      return { name_uri: nameUri(body.name), artifact_uri: artifactUri(target) };
    },
  );

  app.get(
    '/v1/names/*',
    {
      config: anyCaller({ runToken: 'anywhere' }),
      preHandler: relay,
      schema: {
        tags,
        params,
        describedAs: [
          {
            url: '/v1/names/:name',
            summary: 'What a name points at',
            params: nameParams,
            response: { 200: pointer, ...refused },
          },
          {
            url: '/v1/names/:name/aliases',
            summary: 'The aliases of a name',
            params: nameParams,
            response: { 200: aliasList, ...refused },
          },
          {
            url: '/v1/names/:name/aliases/:alias',
            summary: 'What an alias of a name points at',
            params: aliasParams,
            response: { 200: aliasPointer, ...refused },
          },
        ],
      },
    },
    async ({ params: { '*': path }, caller }) => {
      const { name, aliases, alias } = readPath(path);
      if (alias !== undefined) return showAlias(services, caller, name, alias);
      if (aliases) return listAliases(services, caller, name);
      const found = await storeOf(services).names.find(actorOf(caller).tenant, name);
      if (!found) throw refusals.nameNotFound(name);
      return { artifact_uri: artifactUri(found), version: found.version, updated_at: found.updatedAt };
    },
  );

  app.put(
    '/v1/names/*',
    {
      config: needs('artifacts:write', { runToken: 'anywhere' }),
      preHandler: relay,
      schema: {
        tags,
        params,
        body: addressRequest,
        describedAs: [
          {
            url: '/v1/names/:name/aliases/:alias',
            summary: 'Point an alias at a version; a protected one waits for approval',
            params: aliasParams,
            response: {
              200: aliasChange.extend({ artifact_uri: z.string() }),
              202: aliasChange.extend({ detail: z.string() }),
              ...refused,
            },
          },
        ],
      },
    },
    async ({ params: { '*': path }, body, caller }, reply) => {
      const { name, alias } = readPath(path);
      if (alias === undefined) throw refusals.fileNotFound();
      const target = { id: body.artifact_id, version: body.version };
      const status = await writableStore(services).aliases.set(actorOf(caller), name, alias, target);
      if (status !== 'pending') return { status, name, alias, artifact_uri: artifactUri(target) };
      const detail = `Alias '${alias}' is protected; the change waits for approval by somebody else`;
      return accepted(reply, { status, name, alias, detail });
    },
  );

  app.delete(
    '/v1/names/*',
    {
      config: anyCaller({ personalOnly: 'artifact' }),
      preHandler: relay,
      schema: {
        tags,
        params,
        describedAs: [
          {
            url: '/v1/names/:name',
            summary: 'Take a name away',
            params: nameParams,
            response: { 200: z.object({ status: z.string(), name: z.string() }), ...refused },
          },
          {
            url: '/v1/names/:name/aliases/:alias',
            summary: 'Take an alias away; a protected one waits for approval',
            params: aliasParams,
            response: { 200: aliasChange, 202: aliasChange, ...refused },
          },
        ],
      },
    },
    async ({ params: { '*': path }, caller }, reply) => {
      const { name, aliases, alias } = readPath(path);
      const store = writableStore(services);
      if (alias !== undefined) {
        const outcome = await store.aliases.remove(actorOf(caller), name, alias);
        if (outcome === undefined) throw refusals.aliasNotFound(name, alias);
        if (outcome === 'pending') return accepted(reply, { status: outcome, name, alias });
        return { status: 'deleted', name, alias };
      }
      if (aliases || !(await store.names.remove(actorOf(caller), name))) throw refusals.nameNotFound(name);
      return { status: 'deleted', name };
    },
  );
}

const accepted = (reply: FastifyReply, body: object): FastifyReply => reply.code(202).send(body);

async function listAliases(services: Services, caller: Caller, name: string) {
  const aliases = await storeOf(services).aliases.list(actorOf(caller).tenant, name);
  return {
    name,
    aliases: aliases.map((one) => ({
      alias: one.alias,
      artifact_id: one.id,
      version: one.version,
      updated_at: one.updatedAt,
    })),
  };
}

async function showAlias(services: Services, caller: Caller, name: string, alias: string) {
  const store = storeOf(services);
  const found = await store.aliases.find(actorOf(caller).tenant, name, alias);
  if (!found) throw refusals.aliasNotFound(name, alias);
  const version = await store.versions.get(found);
  return {
    name,
    alias,
    artifact_uri: artifactUri(found),
    artifact_id: found.id,
    version: found.version,
    state: version?.state ?? null,
  };
}
