// Every timeout of the core API, by what it bounds.
import type { Settings } from './table.ts';

export function timeoutGroups(settings: Settings) {
  return {
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
  };
}
