// The bytes of one display output, under a type that a browser may show, never as something it would run.
import { z } from 'zod';
import { createDesk } from '../../../desk/index.ts';
import { detailBody, queryInt } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import { fileContent } from '../../fileContent.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf } from './shared.ts';

const shownAs: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  'arrow/ipc': 'application/vnd.apache.arrow.stream',
  'json/object': 'application/json',
  'text/markdown': 'text/markdown; charset=utf-8',
};

export function outputRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/outputs/:index/blob',
    {
      config: needs('notebook:read'),
      schema: {
        tags: ['cells'],
        summary: 'The bytes of one display output; a negative index counts from the end',
        params: z.object({ session_id: z.string(), cell_id: z.string(), index: queryInt() }),
        response: {
          200: {
            description: 'The stored bytes',
            content: fileContent(
              'application/octet-stream',
              'image/png',
              'application/vnd.apache.arrow.stream',
              'application/json',
              'text/markdown',
            ),
          },
          404: detailBody,
        },
      },
    },
    async (request, reply) => {
      const { session_id, cell_id, index } = request.params;
      const output = await createDesk(sessionOf(services, session_id), () => {}).output(cell_id, index);
      const type = shownAs[output.contentType];
      reply.header('x-svc-output-index', String(output.index)).header('content-security-policy', 'sandbox');
      reply.type(type ?? 'application/octet-stream');
      if (type === undefined) reply.header('content-disposition', 'attachment');
      return reply.send(output.bytes);
    },
  );
}
