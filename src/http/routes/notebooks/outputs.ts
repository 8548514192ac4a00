// The bytes of one display output, under a type that a browser may show, never as something it would run.
import fs from 'node:fs';
import { z } from 'zod';
import { parseArtifactUri } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import { detailBody, queryInt } from '../../../protocol/index.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf } from './shared.ts';

const shownAs: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  'arrow/ipc': 'application/vnd.apache.arrow.stream',
  'json/object': 'application/json',
  'text/markdown': 'text/markdown; charset=utf-8',
};

export function outputRoutes(app: App, services: Services): void {
  const bytes = { schema: z.unknown().meta({ type: 'string', format: 'binary' }) };
  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/outputs/:index/blob',
    {
      schema: {
        tags: ['cells'],
        summary: 'The bytes of one display output; a negative index counts from the end',
        params: z.object({ session_id: z.string(), cell_id: z.string(), index: queryInt() }),
        response: {
          200: {
            description: 'The stored bytes',
            content: { 'application/octet-stream': bytes, 'image/png': bytes, 'application/json': bytes },
          },
          404: detailBody,
        },
      },
    },
    async (request, reply) => {
      const { live } = sessionOf(services, request.params.session_id);
      const { cell_id, index } = request.params;
      if (!live.session().facts.has(cell_id)) throw refusals.cellUnknown(cell_id);
      const displays = live.cellRecord(cell_id).display_outputs;
      const resolved = index < 0 ? displays.length + index : index;
      const display = displays[resolved];
      const address = parseArtifactUri(String(display?.artifact_uri ?? ''));
      if (!display || !address) throw refusals.outputNotFound(cell_id, displays.length, index);
      const type = shownAs[display.content_type];
      reply.header('x-svc-output-index', String(resolved)).header('content-security-policy', 'sandbox');
      reply.type(type ?? 'application/octet-stream');
      if (type === undefined) reply.header('content-disposition', 'attachment');
      return reply.send(fs.createReadStream(live.blobPath(address)));
    },
  );
}
