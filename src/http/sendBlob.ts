// Stored bytes as an answer. A file is sent through two buffers that are used again and again: half the work of piping it,
// and the memory of a transfer does not depend on its size.
import { type FileHandle, open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Blob } from '../artifacts/index.ts';
import type { Log } from '../observability/index.ts';

const bufferBytes = 512 * 1024;
/** Below it, one read and one ordinary answer are quicker. */
const smallBytes = 64 * 1024;

/** The route has set type and policy; the framing rule must be among its headers. */
export async function sendBlob(reply: FastifyReply, blob: Blob, log: Log): Promise<FastifyReply> {
  const { file, byteSize } = blob;
  reply.header('content-length', String(byteSize));
  // A stream keeps the length that was set; the framework would count other bodies anew.
  if (reply.request.method === 'HEAD') return reply.send(Readable.from([]));
  if (file === undefined) return reply.send(await blob.read());
  const handle = await open(file);
  if (byteSize <= smallBytes) {
    const bytes = await handle.readFile().finally(() => handle.close());
    return reply.send(bytes);
  }
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(reply.statusCode, numbered(reply));
  void copy(handle, raw, byteSize)
    .then(() => raw.end())
    .catch((error: unknown) => {
      // Too late for a status: the client sees that bytes are missing.
      if (!raw.destroyed) log.warning('A transfer broke off', { error, request_id: reply.request.id });
      raw.destroy();
    })
    .finally(() => handle.close());
  return reply;
}

function numbered(reply: FastifyReply): Record<string, string | number | string[]> {
  const headers: Record<string, string | number | string[]> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) headers[name] = value;
  return headers;
}

/** One buffer is filled while the other is on its way. */
async function copy(handle: FileHandle, raw: ServerResponse, byteSize: number): Promise<void> {
  let [filling, sending] = [Buffer.allocUnsafe(bufferBytes), Buffer.allocUnsafe(bufferBytes)];
  let sent: Promise<void> = Promise.resolve();
  let giveUp: (reason: Error) => void = () => {};
  raw.once('close', () => giveUp(new Error('The client went away.')));
  for (let at = 0; at < byteSize; ) {
    const { bytesRead } = await handle.read(filling, 0, Math.min(bufferBytes, byteSize - at), at);
    if (bytesRead === 0) throw new Error('The stored file is shorter than it was.');
    await sent;
    at += bytesRead;
    [filling, sending] = [sending, filling];
    const piece = sending.subarray(0, bytesRead);
    sent = new Promise((resolve, reject) => {
      giveUp = reject;
      raw.write(piece, (error) => (error ? reject(error) : resolve()));
    });
    sent.catch(() => {});
  }
  await sent;
}
