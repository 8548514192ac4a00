// What an answer says, as far as anybody will read it: whoever sends more is not listened to any longer.
import type { IncomingMessage } from 'node:http';

const maxBytes = 1024 * 1024;

/** The first mebibyte, and then the connection ends. What breaks off says what came until then. */
export async function shortText(body: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let left = maxBytes;
  try {
    for await (const piece of body) {
      const bytes: Buffer = piece;
      pieces.push(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) break;
    }
  } catch {
    // The connection broke.
  }
  return Buffer.concat(pieces).toString();
}
