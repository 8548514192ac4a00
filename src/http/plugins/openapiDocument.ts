// Turns routes into an OpenAPI document. The library for it describes the application it is registered in, and loads a
// hundred files: so the routes are handed to an application of their own, which never serves, in a module of its own.
import swagger from '@fastify/swagger';
import fastify, { type RouteOptions } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { version } from '../../version.ts';
import { connectSchemas, noOtherCompilers } from './schemas.ts';

export type OpenApiDocument = ReturnType<import('fastify').FastifyInstance['swagger']>;

export async function composeDocument(routes: readonly RouteOptions[]): Promise<OpenApiDocument> {
  const app = fastify({ schemaController: noOtherCompilers, exposeHeadRoutes: false });
  connectSchemas(app);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'svc', version, description: 'Notebook compute service' },
    },
    transform: jsonSchemaTransform,
  });
  for (const { method, url, schema = {} } of routes) app.route({ method, url, schema, handler: neverServed });
  await app.ready();
  return app.swagger();
}

const neverServed = (): never => {
  throw new Error('This application only describes routes.');
};
