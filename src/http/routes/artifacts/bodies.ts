// Bodies that are read as they arrive: raw bytes, and multipart with a small `metadata` file beside a `data` file of any
// size. A body that is refused is not read to its end.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  ArrowInvalid,
  type ArrowScan,
  type Artifacts,
  giveBack,
  parseExact,
  type StagedBytes,
} from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import { readMultipart, readSmall } from '../../../pipes/index.ts';

const maxMetadataBytes = 16 * 1024 * 1024;

/** Every body of this scope reaches its handler as the stream it is. */
export function acceptStreams(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
}

export interface BodyLimits {
  readonly maxUploadBytes: number;
}

const metadataLimit = ({ maxUploadBytes }: BodyLimits): number => Math.min(maxMetadataBytes, maxUploadBytes);

/** Left open when the reader stops early: the answer still has to be sent on its connection. */
export const piecesOf = (request: FastifyRequest): AsyncIterable<Buffer> =>
  request.raw.iterator({ destroyOnReturn: false });

/** The same for bodies of any size: each piece is given back when the next is asked for. */
export async function* passingPieces(request: FastifyRequest): AsyncGenerator<Buffer> {
  for await (const piece of piecesOf(request)) {
    yield piece;
    giveBack(piece);
  }
}

/** Refused by what it says of itself, before anything is read. */
export function checkDeclaredLength(request: FastifyRequest, limit: number): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw refusals.uploadTooLarge(limit);
}

export async function rawBody(store: Artifacts, request: FastifyRequest, limits: BodyLimits): Promise<StagedBytes> {
  checkDeclaredLength(request, limits.maxUploadBytes);
  const staged = await store.staging.receive(passingPieces(request), limits.maxUploadBytes);
  if (staged.byteSize > 0) return staged;
  await store.staging.discard(staged);
  throw refusals.bodyEmpty();
}

export const jsonText = (request: FastifyRequest, limits: BodyLimits): Promise<string> =>
  readSmall(piecesOf(request), metadataLimit(limits), refusals.metadataTooLarge);

export interface Uploaded {
  readonly metadata: string | undefined;
  readonly data: StagedBytes | undefined;
}

/** `scan` looks at the data as it passes; what it refuses is refused. Fields that nobody asked for are passed over. */
export async function multipartBody(
  store: Artifacts,
  request: FastifyRequest,
  limits: BodyLimits,
  scan?: ArrowScan,
): Promise<Uploaded> {
  checkDeclaredLength(request, limits.maxUploadBytes);
  let metadata: string | undefined;
  let data: StagedBytes | undefined;
  try {
    for await (const part of readMultipart(passingPieces(request), request.headers['content-type'] ?? '')) {
      if (part.name !== 'metadata' && part.name !== 'data') continue;
      if (part.filename === undefined) throw refusals.partNotAFile(part.name);
      if (part.name === 'metadata')
        metadata = await readSmall(part.body, metadataLimit(limits), refusals.metadataTooLarge);
      else if (!data)
        data = await store.staging.receive(part.body, limits.maxUploadBytes, scan && ((piece) => scan.push(piece)));
    }
    return { metadata, data };
  } catch (error) {
    if (data) await store.staging.discard(data);
    throw error instanceof ArrowInvalid ? refusals.arrowInvalid(error.message) : error;
  }
}

/** JSON with its numbers as they were sent; `invalid` makes the refusal of what is none. */
export function exactJson(text: string, invalid: (reason: string) => Error): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error));
  }
}
