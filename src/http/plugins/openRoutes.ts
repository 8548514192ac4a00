// Requests that ask for no identity: their route declares it, or their address is signed and so its own credential.
import type { FastifyRequest } from 'fastify';

export function isOpen({ routeOptions, query }: FastifyRequest): boolean {
  const open = routeOptions.config.access?.open;
  return open === 'signed' ? isSigned(query) : open !== undefined;
}

const isSigned = (query: unknown): boolean =>
  typeof query === 'object' && query !== null && 'signature' in query && 'expires_at' in query;
