// What this server is set to.
import { timeoutsBody } from '../../protocol/index.ts';
import type { App, Services } from '../services.ts';

export function configRoutes(app: App, { settings }: Services): void {
  const schema = { tags: ['operations'], summary: 'Every timeout setting, by what it bounds', response: { 200: timeoutsBody } };
  app.get('/v1/config/timeouts', { schema }, async () => ({
    planning: { plan_timeout_seconds: settings.planTimeoutSeconds },
    scanning: { scan_timeout_seconds: settings.scanTimeoutSeconds },
    qos_queue: {
      interactive_queue_timeout: settings.interactiveQueueTimeout,
      bulk_queue_timeout: settings.bulkQueueTimeout,
    },
    fetching: { fetch_timeout_seconds: settings.fetchTimeoutSeconds },
    s3: {
      s3_connect_timeout_seconds: settings.s3ConnectTimeoutSeconds,
      s3_request_timeout_seconds: settings.s3RequestTimeoutSeconds,
    },
  }));
}
