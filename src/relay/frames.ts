// What passes between a worker that dialled out and its relay: requests and answers cut into messages, many at a time over
// one socket. Text messages are JSON with a type and an id; binary ones are four bytes of id and a piece of a body.
import type { RawData } from 'ws';
import { z } from 'zod';

export const subprotocol = 'svc-worker-connect.v1';
/** A worker names itself by this, so that a relay knows it again after a broken connection. */
export const instanceHeader = 'x-svc-worker-instance';

/** A relay names itself by this: another one knows nothing of what was asked before, and counts anew. */
export const relayHeader = 'x-svc-relay-instance';

/** How long requests outlive a broken connection. */
export const graceSeconds = 60;

const maxPieceBytes = 1024 * 1024;
export const maxMessageBytes = maxPieceBytes + 4;

const id = z
  .int()
  .min(1)
  .max(2 ** 32 - 1);
const headers = z.array(z.tuple([z.string(), z.string()])).default([]);

const messageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('request'),
    id,
    method: z.string(),
    path: z.string(),
    query: z.string().default(''),
    headers,
  }),
  z.object({ type: z.literal('response'), id, status: z.int().min(200).max(599), headers }),
  z.object({ type: z.literal('end'), id }),
  z.object({ type: z.literal('abort'), id }),
  z.object({ type: z.literal('awaited'), ids: z.array(id) }),
]);

export type Message = z.infer<typeof messageSchema>;
export type Received = Message | { readonly type: 'piece'; readonly id: number; readonly bytes: Buffer };

/** Undefined for what is no message of the protocol: it is passed over. */
export function received(data: RawData, isBinary: boolean): Received | undefined {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
  if (isBinary)
    return bytes.length < 4 ? undefined : { type: 'piece', id: bytes.readUInt32BE(0), bytes: bytes.subarray(4) };
  try {
    return messageSchema.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}

/** A body in pieces that the other side takes. */
export function* pieces(requestId: number, body: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < body.length; at += maxPieceBytes) {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(requestId);
    yield Buffer.concat([head, body.subarray(at, at + maxPieceBytes)]);
  }
}
