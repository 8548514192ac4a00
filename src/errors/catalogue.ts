// Every refusal that the service gives, by what it is about. Statuses, keys and codes are the protocol; words are ours.
import { Refusal } from './refusal.ts';

export const refusals = {
  insufficientScope: (scope: string) => new Refusal('forbidden', `This route requires the ${scope} scope`),

  notebookSessionsArePersonal: () =>
    new Refusal('forbidden', 'Notebook session APIs are only available in personal mode'),

  artifactRouteIsPersonal: () =>
    new Refusal('forbidden', {
      error: 'writes_disabled',
      message:
        "This artifact endpoint is disabled in service mode. To use it, set deployment_mode='personal' for local development.",
    }),

  notebookNotFound: () => new Refusal('not_found', 'Notebook not found'),

  tableNotFound: (hidden: boolean) =>
    hidden ? new Refusal('not_found', 'Table not found') : new Refusal('forbidden', 'Access denied'),

  crossOrigin: (origin: string) => new Refusal('forbidden', `Cross-origin request from ${origin} is not allowed.`),

  draining: () =>
    new Refusal('unavailable', 'Server is shutting down. Not accepting new requests.', { retryAfterSeconds: 5 }),

  engineNotReady: (reason: string) =>
    new Refusal('unavailable', `The data engine is not ready yet: ${reason}`, { retryAfterSeconds: 5 }),

  scansNotOffered: () => new Refusal('not_offered', 'This version of svc does not scan tables yet.'),

  transformUnknown: (executor: string) =>
    new Refusal('invalid', {
      error: 'transform_unknown',
      message: `Transform '${executor}' is not registered on this server. Available transforms: [].`,
      executor,
    }),

  transformNotAllowed: (executor: string) =>
    new Refusal('forbidden', {
      error: 'transform_not_allowed',
      message: `Transform '${executor}' is not in this server's registry.`,
      executor,
    }),

  invalidRegex: (reason: string) => new Refusal('invalid', reason),

  tenantNotFound: (tenant: string) => new Refusal('not_found', `Tenant not found: ${tenant}`),

  tableMetricsNotFound: (table: string) => new Refusal('not_found', `No metrics found for table: ${table}`),

  fileNotFound: () => new Refusal('not_found', 'Not Found'),
} as const;
