// How a mount of an object store is opened, and who may open it: the credential's fields become storage options, beneath the
// mount's own.
import type { Credentials } from '../../credentials/index.ts';
import { credentialNames, optionOfMachine, type StorageOptions, storageOptions } from '../../mounts/index.ts';
import type { Mount } from '../document/index.ts';
import { CellRefused } from '../languages/index.ts';

export interface MountRules {
  readonly credentials: Credentials;
  readonly personal: boolean;
  /** Whose run it is. */
  readonly principal: () => string | null;
}

export interface MountUse {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Throws where the mount may not be opened as it is written. */
export function openingOptions(
  { credentials, personal, principal }: MountRules,
  mount: Mount,
  use: MountUse,
): StorageOptions {
  if (mount.mode === 'rw' && credentials.writersAreSet()) {
    const names = credentialNames(credentials, mount);
    if (names.length === 0) throw mountRefused(mount, 'a read-write mount must name a credential on this server');
    const closed = names.find((name) => !credentials.mayWrite(name, principal()));
    if (closed !== undefined) throw mountRefused(mount, `credential '${closed}' may only be used for reading`);
  }
  const options = storageOptions(credentials, mount, use);
  // On a shared server only its operator may set them.
  const forbidden = personal ? undefined : optionOfMachine(mount);
  if (forbidden !== undefined)
    throw mountRefused(mount, `options.${forbidden} may only be set by a credential of this server`);
  return options;
}

export const mountRefused = ({ name }: Pick<Mount, 'name'>, reason: string): CellRefused =>
  new CellRefused('MountFailed', `@mount ${name}: ${reason}`);
