// Signed requests about a cell that another server of the deployment dispatched: passed on to that server as they come. The
// signature is checked here too, so that nothing unsigned goes from server to server.
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { Refusal, type RefusalKind, refusals } from '../errors/index.ts';
import { openUrl, type UrlAnswer, UrlUnreachable } from '../fetch/index.ts';
import { traceHeaders } from '../observability/index.ts';
import { buildManifestBody } from '../protocol/index.ts';
import type { CellTransport, Signed } from './pulledCells.ts';
import { type Signer, signedPath } from './signing.ts';

const anywhere = { publicOnly: false, allowedHosts: [] };
/** For one request, bodies included. */
const patienceMilliseconds = 1_800_000;

const kinds: Readonly<Record<number, RefusalKind>> = {
  400: 'invalid',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
};

const uploaded = z.object({ byte_size: z.int() });
const finalized = z.object({ artifact_uri: z.string(), byte_size: z.int(), row_count: z.int() });
const logged = z.object({ delivered: z.boolean() });
const stored = z.object({ size: z.int() });
const refused = z.object({ detail: z.string() });

/** `owner`: the server that holds the build, as this one reaches it. */
export function createForwarded(signer: Signer, owner: string): CellTransport {
  async function ask(
    { capability, signature }: Signed,
    more: Readonly<Record<string, string>>,
    body?: string | AsyncIterable<Uint8Array>,
  ): Promise<UrlAnswer> {
    if (!signer.isValid(capability, signature)) throw refusals.signatureInvalid();
    const answer = await openUrl(`${owner}${signedPath(capability, signature, more)}`, {
      method: capability.op === 'download' || capability.op === 'manifest' ? 'GET' : 'POST',
      headers: {
        ...traceHeaders(),
        ...(body === undefined ? {} : { 'content-type': 'application/octet-stream' }),
      },
      ...(body === undefined ? {} : { body }),
      policy: anywhere,
      signal: AbortSignal.timeout(patienceMilliseconds),
    }).catch((error: unknown) => {
      throw error instanceof UrlUnreachable ? refusals.ownerUnreachable() : error;
    });
    if (answer.status < 300) return answer;
    const said = refused.safeParse(jsonOf(await text(answer.body)));
    const kind = kinds[answer.status];
    throw kind && said.success ? new Refusal(kind, said.data.detail) : refusals.ownerUnreachable();
  }

  const read = async <T>(schema: z.ZodType<T>, answer: Promise<UrlAnswer>): Promise<T> =>
    schema.parse(jsonOf(await text((await answer).body)));

  return {
    async download(signed) {
      const { headers, body } = await ask(signed, {});
      return { byteSize: Number(headers['content-length'] ?? 0), file: undefined, read: async () => body };
    },
    upload: async (signed, body) => (await read(uploaded, ask(signed, {}, body))).byte_size,
    async finalize(signed) {
      const { artifact_uri, byte_size, row_count } = await read(finalized, ask(signed, {}, '{}'));
      return { artifactUri: artifact_uri, byteSize: byte_size, rowCount: row_count };
    },
    log: async (signed, stream, seq, chunk) =>
      (await read(logged, ask(signed, { stream, seq: String(seq) }, chunk))).delivered,
    renew: (signed) => read(buildManifestBody, ask(signed, {})),
    outputFile: async (signed, folder, path, body) => (await read(stored, ask(signed, { folder, path }, body))).size,
  };
}

function jsonOf(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}
