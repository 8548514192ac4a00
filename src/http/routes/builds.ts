// What workers ask of the server while they run a cell that they pulled. The signature in the address is the credential:
// it is checked before anything about the build is looked at.
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { detailBody } from '../../protocol/index.ts';
import type { Operation, Signed } from '../../workers/index.ts';
import type { App, Services } from '../services.ts';
import { acceptStreams, piecesOf } from './artifacts/bodies.ts';

const maxLogBytes = 262_144;

const time = z.coerce.number();
const signature = z.string();
const buildParams = z.object({ build_id: z.string() });
const timed = z.object({ expires_at: time, signature });

export function buildRoutes(app: App, { builds }: Services): void {
  const tags = ['builds'];
  const refused = { 400: detailBody, 403: detailBody, 404: detailBody, 409: detailBody, 413: detailBody };

  app.get(
    '/v1/artifacts/download',
    {
      schema: {
        tags,
        summary: 'An input of a build, by a signed address',
        querystring: timed.extend({ artifact_id: z.string(), version: z.coerce.number().int(), build_id: z.string() }),
      },
    },
    async (request, reply) => {
      const { artifact_id, version, build_id, expires_at, signature } = request.query;
      const capability = { op: 'download' as const, artifact_id, version, build_id, expires_at };
      const { file, size } = await builds.download({ capability, signature });
      return reply
        .type('application/vnd.apache.arrow.stream')
        .header(
          'content-disposition',
          `attachment; filename="${artifact_id.replace(/[^\w.-]/g, '_')}_v${version}.arrow"`,
        )
        .header('content-length', size)
        .send(createReadStream(file));
    },
  );

  app.register(async (scope: App) => {
    acceptStreams(scope);

    scope.post(
      '/v1/artifacts/upload',
      {
        schema: {
          tags,
          summary: 'The result of a build, by a signed address',
          querystring: timed.extend({ build_id: z.string(), max_bytes: z.coerce.number().int() }),
          response: { 200: z.object({ status: z.string(), build_id: z.string(), byte_size: z.int() }), ...refused },
        },
      },
      async (request) => {
        const { build_id, max_bytes, expires_at, signature } = request.query;
        const capability = { op: 'upload' as const, build_id, max_bytes, expires_at };
        const size = await builds.upload({ capability, signature }, piecesOf(request));
        return { status: 'uploaded', build_id, byte_size: size };
      },
    );

    scope.post(
      '/v1/builds/:build_id/finalize',
      {
        schema: {
          tags,
          summary: 'Take what was uploaded as the result of a build',
          params: buildParams,
          querystring: timed,
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
        const size = await builds.finalize(signedOf('finalize', build_id, request.query, { lease: '' }));
        const artifact_uri = `svc://artifact/nb_remote_${build_id}@v=1`;
        return { status: 'finalized', build_id, artifact_uri, name_uri: null, byte_size: size, row_count: 0 };
      },
    );

    scope.post(
      '/v1/builds/:build_id/log',
      {
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
        const delivered = builds.log(signed, stream === 'stderr' ? 'stderr' : 'stdout', seq, text);
        return reply.code(202).send({ delivered });
      },
    );

    scope.post(
      '/v1/builds/:build_id/output-file',
      {
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
        const size = await builds.outputFile(signed, folder, path, piecesOf(request));
        return reply.code(201).send({ stored: true, size });
      },
    );
  });
}

const signedOf = (
  op: Operation,
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
