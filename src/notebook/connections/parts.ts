// What opening a connection needs of the server.
import type { Credentials } from '../../credentials/index.ts';

export interface ConnectionParts {
  readonly personal: boolean;
  readonly serverEnv: Readonly<Record<string, string | undefined>>;
  readonly credentials: Pick<Credentials, 'fieldsOf' | 'mayWrite' | 'catalogs'>;
  /** Why a place of this machine may not be used; null when it may. */
  readonly objection: (place: string) => string | null;
}
