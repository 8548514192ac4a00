// Requests that ask for no identity: their route declares it, their address is signed and so its own credential, or a browser
// wants the page, where people sign in and which holds nothing of anybody.
import type { FastifyRequest } from 'fastify';
import { isOfPage } from '../pagePaths.ts';

export function isOpen(request: FastifyRequest): boolean {
  const { routeOptions, query } = request;
  const open = routeOptions.config.access?.open;
  return open === 'signed' ? isSigned(query) : open !== undefined || wantsPage(request);
}

const wantsPage = ({ is404, method, url, headers }: FastifyRequest): boolean =>
  is404 && (method === 'GET' || method === 'HEAD') && isOfPage(url) && headers.accept?.includes('text/html') === true;

const isSigned = (query: unknown): boolean =>
  typeof query === 'object' && query !== null && 'signature' in query && 'expires_at' in query;
