// The live description of every route. Each route states its own answers; the answers that the gates in front of it can
// give are added here, from the same facts that drive the gates.
import swagger from '@fastify/swagger';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { requiredScope } from '../../identity/index.ts';
import { detailBody, detailObjectBody, validationBody } from '../../protocol/index.ts';
import { version } from '../../version.ts';
import { isUnlimitedRoute } from './openRoutes.ts';

const text = (description: string) => ({ description, content: { 'text/plain': { schema: z.string() } } });

export async function describeRoutes(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (route.schema === undefined) route.schema = { hide: true };
    else if (route.schema.hide !== true)
      route.schema.response = { ...gateAnswers(route), ...objectOf(route.schema.response) };
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'svc', version, description: 'Notebook compute service' },
    },
    transform: jsonSchemaTransform,
  });
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
