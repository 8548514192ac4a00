// The files that cells read and write by plain names: what is there, bringing one along, taking one away.
import { z } from 'zod';
import { listFiles, openFile, removeFile, writeFile } from '../../../notebook/index.ts';
import { detailBody, detailObjectBody, fileEntry, filesBody, queryBool } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import { attachment } from '../../headers.ts';
import type { DescribedOperation } from '../../plugins/openapi.ts';
import type { App, Services } from '../../services.ts';
import { acceptStreams, checkDeclaredLength, passingPieces } from '../artifacts/bodies.ts';
import { fileAnswer, sessionOf, sessionParams } from './shared.ts';

const fileParams = sessionParams.extend({ '*': z.string() });

/** A file's path may hold slashes; the document gives it a name. */
const described = (summary: string, response: DescribedOperation['response']): [DescribedOperation] => [
  {
    url: '/v1/notebooks/:session_id/files/:path',
    summary,
    params: sessionParams.extend({ path: z.string().describe('Slashes as they are or as %2F') }),
    response,
  },
];
const tags = ['files'];

export function fileRoutes(app: App, services: Services): void {
  const { maxUploadBytes } = services.settings;

  app.get(
    '/v1/notebooks/:session_id/files',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What lies in the folder that cells run in, one level at a time',
        params: sessionParams,
        querystring: z.object({ path: z.string().default('') }),
        response: { 200: filesBody, 400: detailBody, 404: detailBody },
      },
    },
    async (request) => listFiles(sessionOf(services, request.params.session_id).live.directory, request.query.path),
  );

  app.get(
    '/v1/notebooks/:session_id/files/*',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        params: fileParams,
        describedAs: described('Download a file', { 200: fileAnswer, 400: detailBody, 404: detailBody }),
      },
    },
    async (request, reply) => {
      const { session_id, '*': place } = request.params;
      const { name, bytes, body } = await openFile(sessionOf(services, session_id).live.directory, place);
      reply.type('application/octet-stream').header('content-disposition', attachment(name));
      reply.header('content-length', String(bytes)).header('content-security-policy', 'sandbox');
      return reply.send(body);
    },
  );

  app.delete(
    '/v1/notebooks/:session_id/files/*',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        params: fileParams,
        describedAs: described('Delete a file', {
          200: z.object({ path: z.string() }),
          400: detailBody,
          404: detailBody,
          409: detailObjectBody,
        }),
      },
    },
    async (request) => {
      const { session_id, '*': place } = request.params;
      const { live } = sessionOf(services, session_id);
      await live.beside(() => removeFile(live.directory, place));
      return { path: place };
    },
  );

  app.register(async (scope: App) => {
    acceptStreams(scope);

    scope.put(
      '/v1/notebooks/:session_id/files/*',
      {
        config: needs('notebook:write'),
        schema: {
          tags,
          consumes: ['application/octet-stream'],
          params: fileParams,
          querystring: z.object({
            overwrite: queryBool().default(false),
            parents: queryBool().default(false).describe('Make the folders on the way to it'),
          }),
          describedAs: described('Upload a file: its bytes are the body', {
            200: fileEntry,
            400: detailBody,
            404: detailBody,
            409: detailObjectBody,
            413: detailBody,
          }),
        },
      },
      async (request) => {
        const { session_id, '*': place } = request.params;
        const { live } = sessionOf(services, session_id);
        checkDeclaredLength(request, maxUploadBytes);
        return writeFile(live.directory, place, passingPieces(request), {
          overwrite: request.query.overwrite,
          parents: request.query.parents,
          maxBytes: maxUploadBytes,
          assertFree: () => live.assertFree('edit'),
          lastly: live.beside,
        });
      },
    );
  });
}
