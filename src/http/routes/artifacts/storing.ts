// Storing results that were computed elsewhere: under their inputs and transform, under a key that the caller computed, or
// into a version that is being built. Bodies stream to disk; a result that is there already is a hit and stores nothing.
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  ArrowInvalid,
  type Artifacts,
  arrowFromJson,
  artifactUri,
  canonicalJson,
  copySourceOf,
  createArrowScan,
  nameUri,
  plainNumbers,
  promote,
  type StagedBytes,
  transformHash,
  transformSpec,
  Unconvertible,
} from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { isMultipart } from '../../../pipes/index.ts';
import { detailBody, detailObjectBody, finalizeRequest, storedBody } from '../../../protocol/index.ts';
import { anyCaller, needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { acceptStreams, exactJson, jsonText, multipartBody, rawBody } from './bodies.ts';
import { actorOf, addressIn, versionFor, versionParams, writableStore } from './gates.ts';
import { resolveInputs } from './inputs.ts';

const tags = ['artifacts'];

const sentResult = z.looseObject({
  inputs: z.array(z.string()).default([]),
  transform: z.looseObject({ executor: z.string().optional(), params: z.unknown().optional() }).default({}),
  name: z.string().nullable().default(null),
});

export function storingRoutes(app: App, services: Services): void {
  const { settings } = services;
  const refused = { 400: detailBody, 403: detailObjectBody, 413: detailBody, 502: detailBody, 503: detailBody };

  app.register(async (scope: App) => {
    acceptStreams(scope);

    scope.put(
      '/v1/artifacts',
      {
        config: needs('artifacts:write', { runToken: 'anywhere' }),
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

    scope.post(
      '/v1/artifacts/upload/:artifact_id/v/:version',
      {
        config: anyCaller({ personalOnly: 'artifact' }),
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
      config: anyCaller({ personalOnly: 'artifact' }),
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
    const { teamStore } = services;
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
        // Names are the team's where there is one.
        name: teamStore ? null : name,
      },
      bytes,
    );
    const wish = { name, alias: null, tags: {}, table: null };
    const promoted =
      teamStore && name !== null && (await promote(teamStore, copySourceOf(store, tenant), version, wish, principal));
    return {
      artifact_uri: artifactUri(promoted ? promoted.address : version),
      hit,
      byte_size: version.byteSize,
      name_uri: name === null ? null : nameUri(name),
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
  const parsed = sentResult.safeParse(exactJson(text, invalid));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    // Numbers of exact JSON are objects here, which is nobody's business.
    throw invalid(`${issue?.path.join('.') || 'body'}: ${issue?.message.replace('ExactNumber', 'number')}`);
  }
  const { inputs, transform, name, data } = parsed.data;
  if (transform.executor === undefined || transform.executor === '') throw refusals.executorMissing();
  // An empty name is none, as in a form that was left empty.
  return { executor: transform.executor, params: transform.params ?? {}, inputs, name: name || null, data };
}

async function toArrow(data: unknown): Promise<Uint8Array> {
  try {
    return await arrowFromJson(plainNumbers(data), () => canonicalJson(data));
  } catch (error) {
    if (error instanceof Unconvertible) throw refusals.arrowUnmakeable(error.message);
    throw error;
  }
}
