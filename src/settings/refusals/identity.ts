// Who may start what: combinations of deployment mode, authentication, tenants and access rules.

import { hasAclRules } from '../schemas/acl.ts';
import { refusal } from './refusal.ts';

const serviceNeedsAuth = refusal(['deploymentMode', 'authMode'], ({ deploymentMode, authMode }) =>
  deploymentMode === 'service' && authMode === 'none'
    ? 'SVC_DEPLOYMENT_MODE=service needs authentication: set SVC_AUTH_MODE to trusted_proxy or api_key'
    : null,
);

const personalHasNoAuth = refusal(['deploymentMode', 'authMode'], ({ deploymentMode, authMode }) =>
  deploymentMode === 'personal' && authMode !== 'none'
    ? `SVC_AUTH_MODE=${authMode} works only in service mode: set SVC_DEPLOYMENT_MODE=service, or remove SVC_AUTH_MODE`
    : null,
);

const tenantsNeedAuth = refusal(['multiTenantEnabled', 'authMode'], ({ multiTenantEnabled, authMode }) =>
  multiTenantEnabled && authMode === 'none'
    ? 'SVC_MULTI_TENANT_ENABLED needs authentication: set SVC_AUTH_MODE to trusted_proxy or api_key'
    : null,
);

const tenantsNeedService = refusal(
  ['multiTenantEnabled', 'deploymentMode'],
  ({ multiTenantEnabled, deploymentMode }) =>
    multiTenantEnabled && deploymentMode === 'personal'
      ? 'SVC_MULTI_TENANT_ENABLED works only in service mode: set SVC_DEPLOYMENT_MODE=service'
      : null,
);

const proxyNeedsToken = refusal(['authMode', 'proxyToken'], ({ authMode, proxyToken }) =>
  authMode === 'trusted_proxy' && proxyToken === null
    ? 'SVC_AUTH_MODE=trusted_proxy needs SVC_PROXY_TOKEN, the secret shared with the proxy'
    : null,
);

const keysNeedStore = refusal(['authMode', 'artifactDir'], ({ authMode, artifactDir }) =>
  authMode === 'api_key' && artifactDir === null
    ? 'SVC_AUTH_MODE=api_key needs SVC_ARTIFACT_DIR: keys are kept in the artifact store'
    : null,
);

const writesNeedProxy = refusal(['serviceWritesEnabled', 'authMode'], ({ serviceWritesEnabled, authMode }) =>
  serviceWritesEnabled && authMode !== 'trusted_proxy'
    ? 'SVC_SERVICE_WRITES_ENABLED needs SVC_AUTH_MODE=trusted_proxy'
    : null,
);

const rulesNeedAuth = refusal(['deploymentMode', 'authMode', 'aclConfig'], ({ deploymentMode, authMode, aclConfig }) =>
  deploymentMode === 'service' && authMode === 'none' && hasAclRules(aclConfig)
    ? 'SVC_ACL_CONFIG is enforced only for authenticated callers: set SVC_AUTH_MODE to trusted_proxy or api_key, or remove the rules'
    : null,
);

const mcpNeedsAuth = refusal(
  ['deploymentMode', 'authMode', 'mcpEnabled'],
  ({ deploymentMode, authMode, mcpEnabled }) =>
    deploymentMode === 'service' && authMode === 'none' && mcpEnabled
      ? 'SVC_MCP_ENABLED needs authenticated callers in service mode: set SVC_AUTH_MODE to trusted_proxy or api_key'
      : null,
);

export const identityRefusals = [
  serviceNeedsAuth,
  personalHasNoAuth,
  tenantsNeedAuth,
  tenantsNeedService,
  proxyNeedsToken,
  keysNeedStore,
  writesNeedProxy,
  rulesNeedAuth,
  mcpNeedsAuth,
];
