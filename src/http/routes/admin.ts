// Tenants and the credentials of notebooks, as an operator sees them.
import { z } from 'zod';
import { refusals } from '../../errors/index.ts';
import { defaultTenant } from '../../identity/index.ts';
import { detailBody, tenantBody, tenantsBody } from '../../protocol/index.ts';
import { SettingsError } from '../../settings/index.ts';
import { needs } from '../access.ts';
import type { App, Services } from '../services.ts';

const noLimitsOfItsOwn = {
  interactive_slots: null,
  bulk_slots: null,
  per_client_interactive: null,
  per_client_bulk: null,
};

/** The five settings by their config keys. */
const credentialSettings = z.record(z.string(), z.unknown());

export function adminRoutes(app: App, { metrics, tenants, credentials }: Services): void {
  const tags = ['admin'];

  app.get(
    '/v1/admin/notebook-credentials',
    {
      config: needs('admin:notebook-credentials'),
      schema: {
        tags,
        summary: 'Named credentials and catalogs, without their values',
        response: { 200: credentialSettings },
      },
    },
    async () => credentials.shown(),
  );

  app.put(
    '/v1/admin/notebook-credentials',
    {
      config: needs('admin:notebook-credentials'),
      schema: {
        tags,
        summary:
          'Replace named credentials and catalogs together; what is left out returns to its default, what is sent back as it was shown stays',
        body: credentialSettings,
        response: { 200: credentialSettings, 400: detailBody },
      },
    },
    async (request) => {
      try {
        credentials.replace(request.body);
      } catch (error) {
        throw error instanceof SettingsError ? refusals.credentialSettingsInvalid(error.problems) : error;
      }
      return credentials.shown();
    },
  );

  app.get(
    '/v1/admin/tenants',
    { config: needs('admin:tenants'), schema: { tags, summary: 'Counters by tenant', response: { 200: tenantsBody } } },
    async () => ({
      tenants: metrics.tenants(),
    }),
  );

  app.get(
    '/v1/admin/tenants/:tenant_id',
    {
      config: needs('admin:tenants'),
      schema: {
        tags,
        summary: 'One tenant',
        params: z.object({ tenant_id: z.string() }),
        response: { 200: tenantBody, 404: detailBody },
      },
    },
    async (request) => {
      const { tenant_id: tenant } = request.params;
      const counters = metrics.tenant(tenant) ?? null;
      const registered = tenant === defaultTenant || tenants.isKnown(tenant);
      if (!registered && counters === null) throw refusals.tenantNotFound(tenant);
      return {
        tenant_id: tenant,
        registered,
        enabled: tenants.isEnabled(tenant),
        metrics: counters,
        config: registered ? noLimitsOfItsOwn : null,
      };
    },
  );
}
