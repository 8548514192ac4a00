// The door of the secret manager.
export { fetchSecrets, type SecretsConfig, SecretsUnavailable } from './infisical.ts';
