// The door of named credentials.
export { type Credentials, createCredentials } from './credentials.ts';
export { CredentialRefused, type CredentialUse, createLender, type Lender } from './lender.ts';
