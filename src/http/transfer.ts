// Bytes of files as the body of an answer that has left the framework: through two buffers that are used again and again, one
// filled while the other is on its way. Half the work of piping, and memory that does not depend on the size.
import { open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

export interface Transfer {
  bytes(piece: Uint8Array): Promise<void>;
  /** The part of a file from `start` up to, not including, `end`. */
  file(path: string, start: number, end: number): Promise<void>;
  end(): Promise<void>;
}

export class ClientGone extends Error {
  override readonly message = 'The client went away.';
}

const bufferBytes = 512 * 1024;

/** Takes the reply over: headers that were set on it are sent, everything after is the caller's. */
export function beginTransfer(reply: FastifyReply): Transfer {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(reply.statusCode, headersOf(reply));
  return transferTo(raw);
}

function transferTo(raw: ServerResponse): Transfer {
  let [filling, sending] = [Buffer.allocUnsafe(bufferBytes), Buffer.allocUnsafe(bufferBytes)];
  let sent: Promise<void> = Promise.resolve();
  let giveUp: (reason: Error) => void = () => {};
  raw.once('close', () => giveUp(new ClientGone()));

  async function write(piece: Uint8Array): Promise<void> {
    await sent;
    if (raw.destroyed) throw new ClientGone();
    sent = new Promise((resolve, reject) => {
      giveUp = reject;
      raw.write(piece, (error) => (error ? reject(error) : resolve()));
    });
    sent.catch(() => {});
  }

  return {
    bytes: write,
    async file(path, start, end) {
      const handle = await open(path);
      try {
        for (let at = start; at < end; ) {
          const { bytesRead } = await handle.read(filling, 0, Math.min(bufferBytes, end - at), at);
          if (bytesRead === 0) throw new Error('The stored file is shorter than it was.');
          const piece = filling.subarray(0, bytesRead);
          await write(piece);
          [filling, sending] = [sending, filling];
          at += bytesRead;
        }
      } finally {
        await handle.close();
      }
    },
    async end() {
      await sent;
      raw.end();
    },
  };
}

function headersOf(reply: FastifyReply): Record<string, string | number | string[]> {
  const headers: Record<string, string | number | string[]> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) headers[name] = value;
  return headers;
}
