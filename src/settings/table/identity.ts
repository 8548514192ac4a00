// Who callers are and what they may reach: authentication, tenants, table access rules.

import { choice, commaList, flag, headerName, jsonObject, text, url } from '../kinds/index.ts';
import { fixed, optional, setting, unset } from '../row.ts';
import { ACL_KEYS, aclConfigSchema } from '../schemas/acl.ts';

export const identityRows = {
  authMode: setting(
    choice('none', 'trusted_proxy', 'api_key'),
    fixed('none'),
    'How a service knows its callers: a proxy asserts them, or they present keys of this server.',
  ),
  proxyToken: optional(text(), unset, 'Secret shared with the trusted proxy.', { secret: true }),
  proxyTokenHeader: setting(headerName(), fixed('X-Svc-Proxy-Token'), 'Header with the shared secret.'),
  principalHeader: setting(headerName(), fixed('X-Svc-Principal'), 'Header with the asserted principal.'),
  scopesHeader: setting(headerName(), fixed('X-Svc-Scopes'), 'Header with the asserted scopes.'),
  signInUrl: optional(
    url(),
    unset,
    'Where people sign in at the proxy in front; the page leads there whoever is not known.',
  ),
  hideForbiddenAsNotFound: setting(
    flag(),
    fixed(true),
    'Answer 404 instead of 403 for denied tables and what belongs to other tenants.',
  ),
  serviceWritesEnabled: setting(
    flag(),
    fixed(false),
    'Preview: let authenticated callers of a service write artifacts; needs trusted_proxy.',
  ),
  aclConfig: setting(
    jsonObject('a JSON object with default, deny and allow', aclConfigSchema, { keys: ACL_KEYS }),
    fixed({ default: 'allow', deny: [], allow: [] }),
    'Table access rules, deny first; enforced for authenticated callers, never in personal mode.',
    { block: 'acl' },
  ),
  multiTenantEnabled: setting(flag(), fixed(false), 'Keep tenants apart; needs authentication.'),
  tenantHeader: setting(headerName(), fixed('X-Tenant-ID'), 'Header with the tenant.'),
  requireTenantHeader: setting(
    flag(),
    fixed(false),
    'Refuse callers without a tenant instead of giving them the default one.',
  ),
  disabledTenants: setting(
    commaList('tenants'),
    fixed([]),
    'Tenants that are switched off: their callers get 403, what they have stays as it is.',
  ),
};
