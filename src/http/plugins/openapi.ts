// The live description of every route. Each route states its own answers; the answers that the gates in front of it can
// give are added here, from the same facts that drive the gates.
import type { FastifyInstance, RouteOptions } from 'fastify';
import { z } from 'zod';
import { requiredScope } from '../../identity/index.ts';
import { detailBody, detailObjectBody, validationBody } from '../../protocol/index.ts';
import type { OpenApiDocument } from './openapiDocument.ts';
import { isUnlimitedRoute } from './openRoutes.ts';

const text = (description: string) => ({ description, content: { 'text/plain': { schema: z.string() } } });

/** Gives the document of every route that states a schema. It is made, and its makers are loaded, when first asked for. */
export function describeRoutes(app: FastifyInstance): () => Promise<OpenApiDocument> {
  const described: RouteOptions[] = [];
  let document: Promise<OpenApiDocument> | undefined;
  app.addHook('onRoute', (route) => {
    if (route.schema === undefined || route.schema.hide === true) return;
    route.schema.response = { ...gateAnswers(route), ...objectOf(route.schema.response) };
    if (route.method !== 'HEAD') described.push(route);
  });
  return () => {
    document ??= import('./openapiDocument.ts').then(({ composeDocument }) => composeDocument(described));
    return document;
  };
}

function gateAnswers(route: RouteOptions): Record<number, unknown> {
  const { url, schema } = route;
  const method = String(route.method);
  const scope = requiredScope(method, url);
  const answers: Record<number, unknown> = {
    400: text('Host not allowed, or a tenant header that is missing or wrong'),
    500: text('Server fault, logged with the request id'),
  };
  if (!isUnlimitedRoute(url)) {
    answers[401] = detailBody;
    answers[429] = text('Rate limit exceeded; `Retry-After` says when to come back');
  }
  if (scope !== undefined || method !== 'GET') answers[403] = detailObjectBody;
  if (url.includes(':session_id')) answers[404] = detailBody;
  if (schema?.body || schema?.params || schema?.querystring) answers[422] = validationBody;
  if (schema?.body) answers[413] = detailBody;
  return answers;
}

const objectOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
