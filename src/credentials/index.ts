// The door of named credentials.
export { CredentialRefused, type Credentials, type CredentialUse, createCredentials } from './credentials.ts';
