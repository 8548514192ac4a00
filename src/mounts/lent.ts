// What opens the store of a mount: the credential of its scheme, beneath the one that it names, beneath its own options.
import type { CredentialUse, Lender } from '../credentials/index.ts';
import type { RemoteMount } from './remoteMounts.ts';
import type { StorageOptions } from './storageOptions.ts';

/** A mount as notebooks write it, and as workers are told of it. */
export interface NamedMount extends RemoteMount {
  readonly name: string;
  readonly credential: string | null;
}

/** Options that reach for files, identities or addresses of a machine: not for everybody to set. */
const ofTheMachine = ['endpoint_url', 'profile', 'token', 'federated_token_file', 'client_kwargs', 'connection_string'];

/** The first option of the mount that only an operator may set. */
export const optionOfMachine = ({ options }: Pick<RemoteMount, 'options'>): string | undefined =>
  ofTheMachine.find((key) => Object.hasOwn(options, key));

export type MountCredentials = Pick<NamedMount, 'uri' | 'credential'>;

export function credentialNames(lender: Lender, { uri, credential }: MountCredentials): string[] {
  const scheme = uri.slice(0, uri.indexOf(':'));
  return [lender.ofScheme(scheme), credential].filter((name) => name !== null);
}

/** Throws CredentialRefused. */
export function storageOptions(
  lender: Lender,
  mount: MountCredentials & Pick<RemoteMount, 'options'>,
  use: CredentialUse,
): StorageOptions {
  const lent = credentialNames(lender, mount).map((name) => lender.fieldsOf(name, use));
  return Object.assign({}, ...lent, mount.options);
}
