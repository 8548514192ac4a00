// Results under a key that the caller computed: the way in which caches of other servers keep and find them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  type Artifacts,
  artifactUri,
  contentTypeOf,
  plainNumbers,
  transformOf,
  transformSpec,
} from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { detailBody, detailObjectBody, provenanceBody, storedBody } from '../../../protocol/index.ts';
import { anyCaller, needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { acceptStreams, exactJson, multipartBody } from './bodies.ts';
import { actorOf, storeOf, writableStore } from './gates.ts';

const tags = ['artifacts'];
const hashParams = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) });

export function provenanceRoutes(app: App, services: Services): void {
  const { settings } = services;
  const refused = { 400: detailBody, 403: detailObjectBody, 413: detailBody, 503: detailBody };

  app.register(async (scope: App) => {
    acceptStreams(scope);

    scope.put(
      '/v1/artifacts/by-provenance/:hash',
      {
        config: needs('artifacts:write'),
        schema: {
          tags,
          summary: 'Store bytes under a key that the caller computed; the first writer wins',
          consumes: ['multipart/form-data'],
          params: hashParams,
          response: { 200: storedBody, ...refused, 409: detailBody },
        },
      },
      async (request) => storeByProvenance(writableStore(services), request, request.params.hash),
    );
  });

  app.get(
    '/v1/artifacts/by-provenance/:hash',
    {
      config: anyCaller(),
      schema: {
        tags,
        summary: 'The result of a computation, by its key',
        params: hashParams,
        response: { 200: provenanceBody, 404: detailBody },
      },
    },
    async ({ params: { hash }, caller }, reply) => findByProvenance(reply, caller, hash),
  );

  async function storeByProvenance(store: Artifacts, request: FastifyRequest, hash: string) {
    const { metadata, data } = await multipartBody(store, request, settings);
    try {
      if (metadata === undefined) throw refusals.partMissing('metadata');
      const facts = provenanceFacts(metadata);
      if (!data) throw refusals.partMissing('data');
      const { tenant, principal } = actorOf(request.caller);
      const { version, hit } = await store.versions.keep(
        { ...facts, provenanceHash: hash, inputVersions: null, tenant, principal, name: null },
        data,
      );
      // Values of caches have no names; the shape is that of every stored result.
      return { artifact_uri: artifactUri(version), hit, byte_size: version.byteSize, name_uri: null };
    } catch (error) {
      if (data) await store.staging.discard(data);
      throw error;
    }
  }

  async function findByProvenance(reply: FastifyReply, caller: Caller, hash: string) {
    const store = storeOf(services);
    const { tenant } = actorOf(caller);
    const version = await store.versions.ready(tenant, hash);
    if (!version) {
      reply.header('x-svc-provenance-miss', '1');
      throw refusals.provenanceMiss();
    }
    const { params } = transformOf(version.transformSpec);
    const word = (key: string): string => (params[key] === undefined ? '' : String(params[key]));
    return {
      artifact_id: version.id,
      version: version.version,
      provenance_hash: version.provenanceHash,
      content_type: contentTypeOf(version),
      state: version.state,
      arrow_schema: version.schema ?? '',
      row_count: version.rowCount,
      byte_size: version.byteSize,
      created_at: version.createdAt,
      principal: version.principal,
      build_env: word('build_env'),
      build_duration_ms: Number(word('build_duration_ms')) || 0,
      env_hash: word('env_hash'),
      promotion: (await store.tags.of(tenant, version)).nb_promotion ?? null,
      content_sha256: version.contentSha256,
    };
  }
}

const provenanceMetadata = z.looseObject({});
const specKeys = ['content_type', 'variable_name', 'build_env', 'build_duration_ms', 'env_hash'];

/** What the sender knows of the bytes; the words go into the spec as text. */
function provenanceFacts(metadata: string) {
  const parsed = provenanceMetadata.safeParse(plainNumbers(exactJson(metadata, refusals.metadataInvalid)));
  if (!parsed.success) throw refusals.metadataInvalid('it must be an object');
  const { data: sent } = parsed;
  if (typeof sent.content_type !== 'string' || sent.content_type === '') throw refusals.contentTypeMissing();
  const rows = sent.row_count ?? null;
  if (rows !== null && (typeof rows !== 'bigint' || rows < 0n))
    throw refusals.metadataField('row_count', 'a non-negative integer');
  const id = sent.artifact_id ?? null;
  if (id !== null && (typeof id !== 'string' || id === '' || /[/\\\0]|^\.\.?$/.test(id)))
    throw refusals.artifactIdUnusable(String(id));
  const params = Object.fromEntries(
    specKeys.filter((key) => sent[key] !== undefined && sent[key] !== null).map((key) => [key, String(sent[key])]),
  );
  return {
    id,
    rowCount: rows === null ? null : Number(rows),
    schema: typeof sent.schema_json === 'string' ? sent.schema_json : null,
    transformSpec: transformSpec({ executor: 'notebook/cell@v1', inputs: [], params }),
  };
}
