// Mounts of object stores as what cells read: the credential's fields become storage options, beneath the mount's own. The
// name of the credential is part of what a result came from, its values are not.
import { CredentialRefused, type Credentials } from '../../credentials/index.ts';
import { hiding, secretsIn } from '../../errors/index.ts';
import { placeIn, type RemoteLook, type RemoteMounts, type StorageOptions } from '../../mounts/index.ts';
import type { Mount } from '../document/index.ts';
import { CellRefused, type CellWork, type FarInput } from '../languages/index.ts';
import { mountsOf } from './localMounts.ts';
import type { Found, OutsideReader } from './outside.ts';

export interface RemoteMountParts {
  readonly mounts: RemoteMounts;
  readonly credentials: Credentials;
  readonly personal: boolean;
  /** Who opened the session. */
  readonly principal: string | null;
}

/** Options that reach for files, identities or addresses of the server: on a shared one only its operator may set them. */
const ofTheServer = ['endpoint_url', 'profile', 'token', 'federated_token_file', 'client_kwargs', 'connection_string'];

export function remoteMountReader({ mounts, credentials, personal, principal }: RemoteMountParts): OutsideReader {
  const remoteOf = (work: Pick<CellWork, 'notebook' | 'cell' | 'annotations'>): Mount[] =>
    mountsOf(work).filter(({ uri }) => placeIn(uri) !== undefined);

  function namesOf({ uri, credential }: Mount): string[] {
    const scheme = uri.slice(0, uri.indexOf(':'));
    return [credentials.ofScheme(scheme), credential].filter((name) => name !== null);
  }

  function optionsOf(mount: Mount, { notebook, env }: CellWork): StorageOptions {
    const use = { directory: notebook.directory, env };
    const lent = namesOf(mount).map((name) => credentials.fieldsOf(name, use));
    const forbidden = personal ? undefined : ofTheServer.find((key) => Object.hasOwn(mount.options, key));
    if (forbidden !== undefined)
      throw refused(mount, `options.${forbidden} may only be set by a credential of this server`);
    return Object.assign({}, ...lent, mount.options);
  }

  function checkWriting(mount: Mount): void {
    if (mount.mode !== 'rw' || !credentials.writersAreSet()) return;
    const names = namesOf(mount);
    if (names.length === 0) throw refused(mount, 'a read-write mount must name a credential on this server');
    const closed = names.find((name) => !credentials.mayWrite(name, principal));
    if (closed !== undefined) throw refused(mount, `credential '${closed}' may only be used for reading`);
  }

  async function find(mount: Mount, work: CellWork, signal: AbortSignal): Promise<Found> {
    let hide = hiding([]);
    const look = await told(
      mount,
      signal,
      async (): Promise<RemoteLook> => {
        checkWriting(mount);
        const { uri, mode, pin } = mount;
        const options = optionsOf(mount, work);
        hide = hiding(secretsIn(options));
        return mounts.look({ uri, mode, pin, options }, signal);
      },
      (text) => hide(text),
    );
    const named = mount.credential === null ? '' : `:credential=${mount.credential}`;
    return {
      name: mount.name,
      fingerprint: `${mount.name}:${mount.uri}${named}:${look.fingerprint}`,
      ...(mount.mode === 'rw' ? {} : { far: farInput(mount, namesOf(mount).at(-1) ?? null, look) }),
      prepare: async (running) => {
        const { file, finish } = await told(mount, running, () => look.prepare(running), hide);
        return { file, finish: (succeeded) => told(mount, running, () => finish(succeeded), hide) };
      },
    };
  }

  return {
    asks(work) {
      const remote = remoteOf(work);
      return remote.length === 0 ? null : JSON.stringify(remote);
    },
    // Nobody is asked while somebody waits for something else: until a run, what is there is not known.
    look: async (work, { signal, mayAsk }) =>
      mayAsk ? Promise.all(remoteOf(work).map((mount) => find(mount, work, signal))) : undefined,
  };
}

const farInput = ({ name, uri }: Mount, credential: string | null, { bytes, cachedBytes }: RemoteLook): FarInput => ({
  kind: 'mount',
  name,
  uri,
  credential,
  bytes,
  cached_bytes: cachedBytes,
});

/** Runs the work; what a store says of its failure is told without what it was sent. */
async function told<T>(
  mount: Mount,
  signal: AbortSignal,
  work: () => Promise<T>,
  hide: (text: string) => string,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || error instanceof CellRefused) throw error;
    if (error instanceof CredentialRefused) throw refused(mount, error.message);
    throw refused(
      mount,
      `${mount.uri} could not be reached: ${hide(error instanceof Error ? error.message : String(error))}`,
    );
  }
}

const refused = ({ name }: Mount, reason: string): CellRefused =>
  new CellRefused('MountFailed', `@mount ${name}: ${reason}`);
