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
  '/v1/builds/:build_id/manifest',
]);
const published = (template: string): boolean =>
  template === '/oembed' || template === '/v1/publications/:token' || /^\/p\/:token(\/|$)/.test(template);

export function isOpenRoute(request: FastifyRequest): boolean {
  const template = request.routeOptions.url;
  if (template === undefined) return false;
  if (isAlwaysOpen(template)) return true;
  if (signed.has(template)) return isSigned(request.query);
  return (request.method === 'GET' || request.method === 'HEAD') && published(template);
}

const isSigned = (query: unknown): boolean =>
  typeof query === 'object' && query !== null && 'signature' in query && 'expires_at' in query;

/** Asks nobody for an identity, whatever the request looks like. */
export const isAlwaysOpen = (template: string): boolean => always.has(template);

/** Probes and scrapes must get through whatever else goes on. */
export const isUnlimitedRoute = (template: string | undefined): boolean =>
  template !== undefined &&
  (isAlwaysOpen(template) || template === '/v1/debug/pools' || template === '/v1/debug/memory');
