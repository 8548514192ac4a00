// Probes: alive, ready for work, and what everything leans on.
import { dependenciesBody, healthBody, readinessBody } from '../../protocol/index.ts';
import { open } from '../access.ts';
import type { App, Services } from '../services.ts';

export function healthRoutes(app: App, { health }: Services): void {
  app.get(
    '/health',
    {
      config: open('probe'),
      schema: { tags: ['operations'], summary: 'The process is alive', response: { 200: healthBody } },
    },
    (_request, reply) => {
      reply.send({ status: 'ok' });
    },
  );

  app.get(
    '/health/ready',
    {
      config: open('probe'),
      schema: {
        tags: ['operations'],
        summary: 'The server takes work',
        response: { 200: readinessBody, 503: readinessBody },
      },
    },
    async (_request, reply) => {
      const { statusCode, body } = await health.readiness();
      return reply.code(statusCode).send(body);
    },
  );

  app.get(
    '/health/dependencies',
    {
      config: open('probe'),
      schema: {
        tags: ['operations'],
        summary: 'Each part the server leans on, checked now',
        response: { 200: dependenciesBody, 503: dependenciesBody },
      },
    },
    async (_request, reply) => {
      const { statusCode, body } = await health.dependencies();
      return reply.code(statusCode).send(body);
    },
  );
}
