// Counters for people, for scrapers, and by table.
import { z } from 'zod';
import { refusals } from '../../errors/index.ts';
import { detailBody, metricsBody, tableMetrics, tablesMetricsBody } from '../../protocol/index.ts';
import { needs, open } from '../access.ts';
import type { App, Services } from '../services.ts';

export function metricsRoutes(app: App, { settings, metrics }: Services): void {
  const tags = ['operations'];
  if (settings.metricsEnabled) {
    app.get(
      '/metrics',
      { config: open('probe'), schema: { tags, summary: 'Every counter, as JSON', response: { 200: metricsBody } } },
      async () => metrics.json(),
    );

    app.get(
      '/metrics/prometheus',
      {
        config: open('probe'),
        schema: {
          tags,
          summary: 'Every counter, as Prometheus reads it',
          response: {
            200: { description: 'Text exposition format', content: { 'text/plain': { schema: z.string() } } },
          },
        },
      },
      async (_request, reply) => {
        const { contentType, text } = await metrics.prometheus();
        return reply.header('content-type', contentType).send(text);
      },
    );
  }

  app.get(
    '/metrics/tables',
    { config: needs('admin:*'), schema: { tags, summary: 'Counters by table', response: { 200: tablesMetricsBody } } },
    async () => ({
      tables: metrics.tables(),
    }),
  );

  app.get(
    '/metrics/tables/:table_id',
    {
      config: needs('admin:*'),
      schema: {
        tags,
        summary: 'Counters of one table',
        params: z.object({ table_id: z.string() }),
        response: { 200: tableMetrics, 404: detailBody },
      },
    },
    async (request) => {
      const { table_id: table } = request.params;
      const found = metrics.table(table);
      if (!found) throw refusals.tableMetricsNotFound(table);
      return found;
    },
  );
}
