// The door of identity: who calls, what they may do, which tables they may read. Nothing here knows HTTP.
export { mayReadAddress, mayReadRecorded, mayReadTable } from './acl.ts';
export { actAs, actingCaller, actingNotebook, assertAllowed, whileAllowed } from './acting.ts';
export { type ApiKeyRecord, type ApiKeys, createApiKeys } from './apiKeys.ts';
export {
  type Authenticator,
  createAuthenticator,
  type Identification,
  type PresentedCredentials,
} from './authenticator.ts';
export { anyone, type Caller, holds, identified, reachesSession } from './caller.ts';
export { createRunTokens, type RunTokenReach, type RunTokens } from './runTokens.ts';
export { type Scope, scopes } from './scopes.ts';
export { signInCookie } from './signedIn.ts';
export { type TableName, tableNameOf } from './tableName.ts';
export { createTenants, defaultTenant, type Tenants, tenantFor, tenantProblem } from './tenants.ts';
