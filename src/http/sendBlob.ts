// Stored bytes as an answer.
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Blob } from '../artifacts/index.ts';
import type { Log } from '../observability/index.ts';
import { beginTransfer } from './transfer.ts';

/** Below it, one read and one ordinary answer are quicker. */
const smallBytes = 64 * 1024;

/** The route has set type and policy; the framing rule must be among its headers. */
export async function sendBlob(reply: FastifyReply, blob: Blob, log: Log): Promise<FastifyReply> {
  const { file, byteSize } = blob;
  reply.header('content-length', String(byteSize));
  // A stream keeps the length that was set; the framework would count other bodies anew.
  if (reply.request.method === 'HEAD') return reply.send(Readable.from([]));
  if (file === undefined) return reply.send(await blob.read());
  if (byteSize <= smallBytes) return reply.send(await readFile(file));
  const transfer = beginTransfer(reply);
  void transfer
    .file(file, 0, byteSize)
    .then(() => transfer.end())
    .catch((error: unknown) => transferBroke(reply, error, log));
  return reply;
}

/** Too late for a status: the client sees that bytes are missing. */
export function transferBroke(reply: FastifyReply, error: unknown, log: Log): void {
  if (!reply.raw.destroyed) log.warning('A transfer broke off', { error, request_id: reply.request.id });
  reply.raw.destroy();
}
