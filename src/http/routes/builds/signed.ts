// What workers and executors ask of the server while they work on what they pulled. The signature in the address is the
// credential: it is checked before anything about the build is looked at.
import { z } from 'zod';
import { refusals } from '../../../errors/index.ts';
import { detailBody } from '../../../protocol/index.ts';
import type { Finalized, Signed, SignedOperation, SignedTransport } from '../../../workers/index.ts';
import { open } from '../../access.ts';
import { fileContent } from '../../fileContent.ts';
import { framePolicy } from '../../plugins/envelope.ts';
import { sendBlob } from '../../sendBlob.ts';
import type { App, Services } from '../../services.ts';
import { acceptStreams, piecesOf } from '../artifacts/bodies.ts';
import { buildParams, ownBuild, pulledOf } from './status.ts';

const maxLogBytes = 262_144;

const time = z.coerce.number();
const signature = z.string();
const timed = z.object({ expires_at: time, signature });

const tags = ['builds'];
const refused = { 400: detailBody, 403: detailBody, 404: detailBody, 409: detailBody, 413: detailBody };

export function signedRoutes(app: App, services: Services): void {
  const { settings, log } = services;

  app.get(
    '/v1/artifacts/download',
    {
      config: open('signed'),
      schema: {
        tags,
        summary: 'An input of a build, by a signed address',
        querystring: timed.extend({ artifact_id: z.string(), version: z.coerce.number().int(), build_id: z.string() }),
        response: {
          200: {
            description: 'The stored bytes',
            content: fileContent('application/vnd.apache.arrow.stream'),
          },
          ...refused,
          503: detailBody,
        },
      },
    },
    async (request, reply) => {
      const { artifact_id, version, build_id, expires_at, signature } = request.query;
      const capability = { op: 'download' as const, artifact_id, version, build_id, expires_at };
      const blob = await (await transportOf(services, build_id)).download({ capability, signature });
      const name = `${artifact_id.replace(/[^\w.-]/g, '_')}_v${version}.arrow`;
      reply
        .type('application/vnd.apache.arrow.stream')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('content-security-policy', `sandbox; ${framePolicy(settings)}`);
      return sendBlob(reply, blob, log);
    },
  );

  app.register(async (scope: App) => uploadRoutes(scope, services));
}

/** What a build brings, in pieces as it comes. */
function uploadRoutes(scope: App, services: Services): void {
  acceptStreams(scope);

  scope.post(
    '/v1/artifacts/upload',
    {
      config: open('signed'),
      schema: {
        tags,
        summary: 'The result of a build, by a signed address',
        querystring: timed.extend({
          build_id: z.string(),
          max_bytes: z.coerce.number().int(),
          attempt: z.string().default(''),
        }),
        response: { 200: z.object({ status: z.string(), build_id: z.string(), byte_size: z.int() }), ...refused },
      },
    },
    async (request) => {
      const { build_id, max_bytes, expires_at, signature, attempt } = request.query;
      const signed = { op: 'upload' as const, build_id, max_bytes, expires_at };
      const capability = attempt === '' ? signed : { ...signed, attempt };
      const size = await (await transportOf(services, build_id)).upload({ capability, signature }, piecesOf(request));
      return { status: 'uploaded', build_id, byte_size: size };
    },
  );

  scope.post(
    '/v1/builds/:build_id/finalize',
    {
      config: open('signed'),
      schema: {
        tags,
        summary: 'Take what was uploaded as the result of a build',
        params: buildParams,
        querystring: timed.partial().extend({ lease: z.string().default('') }),
        response: {
          200: z.object({
            status: z.string(),
            build_id: z.string(),
            artifact_uri: z.string(),
            name_uri: z.null(),
            byte_size: z.int(),
            row_count: z.int(),
          }),
          ...refused,
        },
      },
    },
    async (request) => {
      const { build_id } = request.params;
      const { signature, expires_at, lease } = request.query;
      if ((signature === undefined) !== (expires_at === undefined)) throw refusals.signatureIncomplete();
      if (signature !== undefined && expires_at !== undefined) {
        const signed = signedOf('finalize', build_id, { signature, expires_at }, { lease });
        return finalizedBody(build_id, await (await transportOf(services, build_id)).finalize(signed));
      }
      const build = await ownBuild(services, build_id, request.caller);
      return finalizedBody(build_id, await pulledOf(services).finalizeBuild(build));
    },
  );

  scope.post(
    '/v1/builds/:build_id/log',
    {
      config: open('signed'),
      schema: {
        tags,
        summary: 'A chunk of a running cell’s console',
        params: buildParams,
        querystring: timed.extend({ seq: z.coerce.number().int().min(0), stream: z.string().default('stdout') }),
        response: { 202: z.object({ delivered: z.boolean() }), ...refused },
      },
    },
    async (request, reply) => {
      const { seq, stream } = request.query;
      const text = await lastOf(piecesOf(request));
      const signed = signedOf('log', request.params.build_id, request.query);
      const delivered = await (await transportOf(services, request.params.build_id)).log(
        signed,
        stream === 'stderr' ? 'stderr' : 'stdout',
        seq,
        text,
      );
      return reply.code(202).send({ delivered });
    },
  );

  scope.post(
    '/v1/builds/:build_id/output-file',
    {
      config: open('signed'),
      schema: {
        tags,
        summary: 'A finished file of a running cell’s output folder',
        params: buildParams,
        querystring: timed.extend({ folder: z.string(), path: z.string() }),
        response: { 201: z.object({ stored: z.literal(true), size: z.int() }), ...refused },
      },
    },
    async (request, reply) => {
      const { folder, path } = request.query;
      const signed = signedOf('output_file', request.params.build_id, request.query);
      const size = await (await transportOf(services, request.params.build_id)).outputFile(
        signed,
        folder,
        path,
        piecesOf(request),
      );
      return reply.code(201).send({ stored: true, size });
    },
  );
}

/** Cells are built for whoever waits for them, here or on another server; everything else is a transform. */
async function transportOf(
  { builds, pulledCells, forwardedTo, owners }: Services,
  id: string,
): Promise<SignedTransport> {
  if (pulledCells.holds(id)) return pulledCells;
  const owner = await owners.otherOwner(id);
  if (owner !== undefined) return forwardedTo(owner);
  return builds?.pulled ?? pulledCells;
}

const finalizedBody = (build_id: string, { artifactUri, byteSize, rowCount }: Finalized) => ({
  status: 'finalized',
  build_id,
  artifact_uri: artifactUri,
  name_uri: null,
  byte_size: byteSize,
  row_count: rowCount,
});

const signedOf = (
  op: SignedOperation,
  build_id: string,
  { expires_at, signature }: { readonly expires_at: number; readonly signature: string },
  more: Readonly<Record<string, string>> = {},
): Signed => ({ capability: { ...more, op, build_id, expires_at }, signature });

/** The end of a body: a console that floods is cut at its beginning. */
async function lastOf(pieces: AsyncIterable<Buffer>): Promise<string> {
  let kept: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) kept = Buffer.concat([kept, piece]).subarray(-maxLogBytes);
  return kept.toString();
}
