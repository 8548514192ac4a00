// What the HTTP shell is given by the composition root: the domain, ready to be called. Routes ask for nothing else.
import type { Authenticator, Caller, Tenants } from '../identity/index.ts';
import type { RateLimiter } from '../limits/index.ts';
import type { SessionDirectory } from '../notebook/index.ts';
import type { Observability } from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';

export interface Services {
  readonly settings: Settings;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set by the identity gate before any handler runs. */
    caller: Caller;
    /** The caller's tenant, `_default` for none. */
    tenant: string;
  }
}
