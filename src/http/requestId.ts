// The id by which a request is known in its answer and in the log: the caller's own, or sixteen hex digits.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const newRequestId = (): string => randomBytes(8).toString('hex');

export function requestIdOf(message: IncomingMessage): string {
  const sent = message.headers['x-request-id'];
  return typeof sent === 'string' && sent !== '' ? sent : newRequestId();
}
