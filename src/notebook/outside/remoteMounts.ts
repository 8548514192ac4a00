// Mounts of object stores as what cells read. The name of a credential is part of what a result came from, its values are not.
import { randomUUID } from 'node:crypto';
import { CredentialRefused } from '../../credentials/index.ts';
import { hiding, secretsIn } from '../../errors/index.ts';
import {
  credentialNames,
  placeIn,
  type RemoteLook,
  type RemoteMounts,
  type StorageOptions,
} from '../../mounts/index.ts';
import { mountsOf } from '../annotations/index.ts';
import type { Mount } from '../document/index.ts';
import { CellRefused, type CellWork, type FarInput } from '../languages/index.ts';
import { type MountRules, mountRefused, openingOptions } from './mountRules.ts';
import type { Found, OutsideReader } from './outside.ts';

export interface RemoteMountParts extends MountRules {
  readonly mounts: RemoteMounts;
  /** Whether a worker runs the cell: it mounts by itself, with credentials of its own. */
  readonly isElsewhere: (work: CellWork) => boolean;
}

export function remoteMountReader(parts: RemoteMountParts): OutsideReader {
  const { mounts, credentials, isElsewhere } = parts;
  const remoteOf = (work: Pick<CellWork, 'notebook' | 'cell' | 'annotations'>): Mount[] =>
    mountsOf(work).filter(({ uri }) => placeIn(uri) !== undefined);

  const usedCredential = (mount: Mount): string | null => credentialNames(credentials, mount).at(-1) ?? null;

  /** Undefined for a store that only the worker reaches: what it holds is then another thing each time. */
  async function lookFrom(
    mount: Mount,
    options: StorageOptions,
    elsewhere: boolean,
    signal: AbortSignal,
  ): Promise<RemoteLook | undefined> {
    try {
      return await mounts.look({ ...mount, options }, signal);
    } catch (error) {
      if (!elsewhere || signal.aborted) throw error;
      return undefined;
    }
  }

  async function find(mount: Mount, work: CellWork, signal: AbortSignal): Promise<Found> {
    let hide = hiding([]);
    const elsewhere = isElsewhere(work);
    const look = await told(
      mount,
      signal,
      () => {
        const options = openingOptions(parts, mount, { directory: work.notebook.directory, env: work.env });
        hide = hiding(secretsIn(options));
        return lookFrom(mount, options, elsewhere, signal);
      },
      (text) => hide(text),
    );
    const named = mount.credential === null ? '' : `:credential=${mount.credential}`;
    return {
      name: mount.name,
      fingerprint: `${mount.name}:${mount.uri}${named}:${look?.fingerprint ?? randomUUID()}`,
      ...(mount.mode === 'rw' || !look ? {} : { far: farInput(mount, usedCredential(mount), look, elsewhere) }),
      ...(elsewhere || !look ? {} : { prepare: preparing(mount, look, hide) }),
    };
  }

  function preparing(mount: Mount, look: RemoteLook, hide: (text: string) => string): NonNullable<Found['prepare']> {
    return async (running) => {
      const { file, finish } = await told(mount, running, () => look.prepare(running), hide);
      return {
        file,
        async finish(succeeded) {
          await told(mount, running, () => finish(succeeded), hide);
        },
      };
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

const farInput = (
  { name, uri }: Mount,
  credential: string | null,
  { bytes, cachedBytes }: RemoteLook,
  elsewhere: boolean,
): FarInput => ({
  kind: 'mount',
  name,
  uri,
  credential,
  bytes,
  cached_bytes: elsewhere ? null : cachedBytes,
});

/** Runs the work; what a store says of its failure is told without what it was sent. */
export async function told<T>(
  mount: Mount,
  signal: AbortSignal,
  work: () => T | Promise<T>,
  hide: (text: string) => string,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || error instanceof CellRefused) throw error;
    if (error instanceof CredentialRefused) throw mountRefused(mount, error.message);
    throw mountRefused(
      mount,
      `${mount.uri} could not be reached: ${hide(error instanceof Error ? error.message : String(error))}`,
    );
  }
}
