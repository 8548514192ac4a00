// A look at one stored value of a cell: a name of it, or what an iteration of its loop carried.
import { z } from 'zod';
import { contentTypeOf, parseArtifactUri } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import { readOwnFile } from '../../../files/index.ts';
import { detailBody, storedValueBody } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { cellOf, cellParams, sessionOf } from './shared.ts';

/** More is not sent for a look. */
const mostBytes = 4 * 1024 * 1024;

async function textOf(file: string): Promise<string> {
  const bytes = await readOwnFile(file, mostBytes).catch(() => {
    throw refusals.artifactNotFound();
  });
  return bytes.toString('utf8');
}

export function valueRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/value',
    {
      config: needs('notebook:read'),
      schema: {
        tags: ['cells'],
        summary: 'A stored value of a cell: its text, where it is one that can be read',
        params: cellParams,
        querystring: z.object({ artifact_uri: z.string() }),
        response: { 200: storedValueBody, 400: detailBody, 404: detailBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cellId = cellOf(session, request.params.cell_id);
      const { artifact_uri } = request.query;
      const address = parseArtifactUri(artifact_uri);
      if (!address) throw refusals.artifactUriMalformed(artifact_uri);
      const artifact = await session.live.artifact(address);
      if (!artifact) throw refusals.artifactNotFound();
      const content_type = contentTypeOf(artifact);
      const byte_size = artifact.byteSize;
      const isRead = content_type === 'json/object' && byte_size !== null && byte_size <= mostBytes;
      const text = isRead ? await textOf(session.live.blobPath(address)) : null;
      return { cell_id: cellId, artifact_uri, content_type, byte_size, text };
    },
  );
}
