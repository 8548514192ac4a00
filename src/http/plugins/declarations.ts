// Learns what routes declare, and lets no application start that has a route which declares nothing.
import type { FastifyInstance } from 'fastify';
import type { DeclaredRoute } from '../access.ts';

export function collectDeclarations(app: FastifyInstance): void {
  const declared: DeclaredRoute[] = [];
  const silent: string[] = [];
  app.decorate('declaredRoutes', { getter: () => declared });
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const one of [method].flat()) {
      if (config?.access === undefined) silent.push(`${one} ${url}`);
      else declared.push({ method: one, url, access: config.access });
    }
  });
  app.addHook('onReady', async () => {
    if (silent.length > 0)
      throw new Error(
        `These routes do not say who may ask for them; give each a config from http/access.ts: ${silent.join(', ')}`,
      );
  });
}
