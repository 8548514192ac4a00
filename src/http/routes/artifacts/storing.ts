// Storing results that were computed elsewhere: under their inputs and transform, under a key that the caller computed, or
// into a version that is being built. Bodies stream to disk; a result that is there already is a hit and stores nothing.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  ArrowInvalid,
  type Artifacts,
  arrowFromJson,
  artifactUri,
  canonicalJson,
  createArrowScan,
  nameUri,
  parseExact,
  plainNumbers,
  type StagedBytes,
  transformHash,
  transformOf,
  transformSpec,
  Unconvertible,
} from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { detailBody, detailObjectBody, finalizeRequest, provenanceBody, storedBody } from '../../../protocol/index.ts';
import { isMultipart } from '../../multipart.ts';
import type { App, Services } from '../../services.ts';
import { acceptStreams, jsonText, multipartBody, rawBody } from './bodies.ts';
import { actorOf, addressIn, storeOf, versionFor, versionParams, writableStore, writeGate } from './gates.ts';
import { resolveInputs } from './inputs.ts';

const tags = ['artifacts'];
const hashParams = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) });

const sentResult = z.looseObject({
  inputs: z.array(z.string()).default([]),
  transform: z.looseObject({ executor: z.string().optional(), params: z.unknown().optional() }).default({}),
  name: z.string().nullable().default(null),
});

export function storingRoutes(app: App, services: Services): void {
  const { settings } = services;
  const mayWrite = writeGate(services);
  const refused = { 400: detailBody, 403: detailObjectBody, 413: detailBody, 503: detailBody };

  app.register(async (scope: App) => {
    acceptStreams(scope);

    scope.put(
      '/v1/artifacts',
      {
        onRequest: mayWrite,
        schema: {
          tags,
          summary: 'Store a result under its inputs and transform, as JSON or as multipart with Arrow data',
          consumes: ['application/json', 'multipart/form-data'],
          response: { 200: storedBody, ...refused },
        },
      },
      async (request) => {
        const store = writableStore(services);
        return isMultipart(request.headers['content-type']) ? storeArrow(store, request) : storeJson(store, request);
      },
    );

    scope.put(
      '/v1/artifacts/by-provenance/:hash',
      {
        onRequest: mayWrite,
        schema: {
          tags,
          summary: 'Store bytes under a key that the caller computed; the first writer wins',
          consumes: ['multipart/form-data'],
          params: hashParams,
          response: { 200: storedBody.omit({ name_uri: true }), ...refused, 409: detailBody },
        },
      },
      async (request) => storeByProvenance(writableStore(services), request, request.params.hash),
    );

    scope.post(
      '/v1/artifacts/upload/:artifact_id/v/:version',
      {
        schema: {
          tags,
          summary: 'The bytes of a version that is being built',
          consumes: ['application/octet-stream'],
          params: versionParams,
          response: { 200: z.object({ status: z.string(), byte_size: z.int() }), ...refused, 404: detailBody },
        },
      },
      async (request) => {
        const version = await versionFor(services, request.caller, addressIn(request.params));
        if (version.state !== 'building') throw refusals.artifactNotBuilding(version.state);
        const store = writableStore(services);
        const bytes = await rawBody(store, request, settings);
        await store.versions.upload(version, bytes);
        return { status: 'uploaded', byte_size: bytes.byteSize };
      },
    );
  });

  app.post(
    '/v1/artifacts/finalize',
    {
      schema: {
        tags,
        summary: 'Make an uploaded version ready, and name it',
        body: finalizeRequest,
        response: {
          200: z.object({ artifact_uri: z.string(), byte_size: z.int().nullable(), name_uri: z.string().nullable() }),
          400: detailBody,
          403: detailObjectBody,
          404: detailBody,
        },
      },
    },
    async ({ body, caller }) => {
      const version = await writableStore(services).versions.finalize(
        { id: body.artifact_id, version: body.version },
        { schema: body.arrow_schema, rowCount: body.row_count, name: body.name, actor: actorOf(caller) },
      );
      return {
        artifact_uri: artifactUri(version),
        byte_size: version.byteSize,
        name_uri: body.name === null ? null : nameUri(body.name),
      };
    },
  );

  app.get(
    '/v1/artifacts/by-provenance/:hash',
    {
      schema: {
        tags,
        summary: 'The result of a computation, by its key',
        params: hashParams,
        response: { 200: provenanceBody, 404: detailBody },
      },
    },
    async ({ params: { hash }, caller }, reply) => findByProvenance(reply, caller, hash),
  );

  async function storeArrow(store: Artifacts, request: FastifyRequest) {
    const scan = createArrowScan();
    const { metadata, data } = await multipartBody(store, request, settings, scan);
    try {
      if (metadata === undefined) throw refusals.partMissing('metadata');
      const sent = readSent(metadata, refusals.metadataInvalid);
      if (!data) throw refusals.partMissing('data');
      return await keep(store, request.caller, sent, data, await scan.finish());
    } catch (error) {
      if (data) await store.staging.discard(data);
      throw error instanceof ArrowInvalid ? refusals.arrowInvalid(error.message) : error;
    }
  }

  async function storeJson(store: Artifacts, request: FastifyRequest) {
    const sent = readSent(await jsonText(request, settings), refusals.jsonInvalid);
    if (sent.data === undefined) throw refusals.dataMissing();
    const arrow = await toArrow(sent.data);
    const scan = createArrowScan();
    const bytes = await store.staging.receive(Readable.from([arrow]), Number.POSITIVE_INFINITY, (piece) =>
      scan.push(piece),
    );
    return keep(store, request.caller, sent, bytes, await scan.finish());
  }

  async function keep(
    store: Artifacts,
    caller: Caller,
    sent: SentResult,
    bytes: StagedBytes,
    { schema, rowCount }: { readonly schema: string; readonly rowCount: number },
  ) {
    const { executor, params, inputs, name } = sent;
    const { tenant, principal } = actorOf(caller);
    const versions = await resolveInputs(store, tenant, inputs);
    const spec = transformSpec({ executor, inputs, params });
    const { version, hit } = await store.versions.keep(
      {
        id: null,
        provenanceHash: transformHash(spec, versions),
        transformSpec: spec,
        inputVersions: inputs.length === 0 ? null : JSON.stringify(versions),
        tenant,
        principal,
        schema,
        rowCount,
        name,
      },
      bytes,
    );
    return {
      artifact_uri: artifactUri(version),
      hit,
      byte_size: version.byteSize,
      name_uri: name === null ? null : nameUri(name),
    };
  }

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
      return { artifact_uri: artifactUri(version), hit, byte_size: version.byteSize };
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
      content_type: word('content_type') || (version.schema ? 'arrow/ipc' : ''),
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

interface SentResult {
  readonly executor: string;
  readonly params: unknown;
  readonly inputs: readonly string[];
  readonly name: string | null;
  /** As it was sent, with exact numbers; undefined when it was not. */
  readonly data: unknown;
}

function readSent(text: string, invalid: (reason: string) => Error): SentResult {
  const parsed = sentResult.safeParse(parsedJson(text, invalid));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`${issue?.path.join('.') || 'body'}: ${issue?.message}`);
  }
  const { inputs, transform, name, data } = parsed.data;
  if (transform.executor === undefined || transform.executor === '') throw refusals.executorMissing();
  // An empty name is none, as in a form that was left empty.
  return { executor: transform.executor, params: transform.params ?? {}, inputs, name: name || null, data };
}

function parsedJson(text: string, invalid: (reason: string) => Error): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error));
  }
}

async function toArrow(data: unknown): Promise<Uint8Array> {
  try {
    return await arrowFromJson(plainNumbers(data), () => canonicalJson(data));
  } catch (error) {
    if (error instanceof Unconvertible) throw refusals.arrowUnmakeable(error.message);
    throw error;
  }
}

const provenanceMetadata = z.looseObject({});
const specKeys = ['content_type', 'variable_name', 'build_env', 'build_duration_ms', 'env_hash'];

/** What the sender knows of the bytes; the words go into the spec as text. */
function provenanceFacts(metadata: string) {
  const parsed = provenanceMetadata.safeParse(plainNumbers(parsedJson(metadata, refusals.metadataInvalid)));
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
