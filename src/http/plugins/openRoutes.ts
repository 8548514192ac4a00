// Routes that ask for no identity: health and metrics, signed build transport (the signature is the credential) and
// public reads of publications.
import type { FastifyRequest } from 'fastify';

const always = new Set(['/health', '/health/ready', '/health/dependencies', '/metrics', '/metrics/prometheus']);
const signed = new Set([
  '/v1/artifacts/download',
  '/v1/artifacts/upload',
  '/v1/builds/:build_id/finalize',
  '/v1/builds/:build_id/log',
  '/v1/builds/:build_id/output-file',
]);
const published = new Set(['/oembed', '/p/:token', '/p/:token/*', '/v1/publications/:token']);

export function isOpenRoute(request: FastifyRequest): boolean {
  const template = request.routeOptions.url;
  if (template === undefined) return false;
  if (isAlwaysOpen(template)) return true;
  if (signed.has(template)) return isSigned(request.query);
  return (request.method === 'GET' || request.method === 'HEAD') && published.has(template);
}

const isSigned = (query: unknown): boolean =>
  typeof query === 'object' && query !== null && 'signature' in query && 'expires_at' in query;

/** Asks nobody for an identity, whatever the request looks like. */
export const isAlwaysOpen = (template: string): boolean => always.has(template);

/** Probes and scrapes must get through whatever else goes on. */
export const isUnlimitedRoute = (template: string | undefined): boolean =>
  template !== undefined &&
  (isAlwaysOpen(template) || template === '/v1/debug/pools' || template === '/v1/debug/memory');
