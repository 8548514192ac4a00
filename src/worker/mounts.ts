// Mounts of the cells that a worker runs: it reaches the stores by itself, with credentials that its own operator defined and
// that no cell sees. What a cell wrote goes back before its result does.
import path from 'node:path';
import { CredentialRefused, type Lender } from '../credentials/index.ts';
import { hiding, secretsIn } from '../errors/index.ts';
import {
  credentialNames,
  type NamedMount,
  optionOfMachine,
  type PreparedMount,
  placeIn,
  type RemoteMounts,
  storageOptions,
  type WrittenFile,
} from '../mounts/index.ts';
import type { InputFile } from '../runtimes/index.ts';
import { failed, invalid } from './refused.ts';

export interface MountWrites {
  readonly mount: string;
  readonly uri: string;
  readonly files: readonly WrittenFile[];
}

export interface BroughtMounts {
  readonly inputs: Readonly<Record<string, InputFile>>;
  /** What had to be fetched, by mount. */
  readonly bytes: Readonly<Record<string, number>>;
  /** After the run: lets go of them, and gives back what a successful one wrote. */
  finish(succeeded: boolean): Promise<MountWrites[]>;
}

export interface WantedMounts {
  readonly mounts: readonly NamedMount[];
  readonly env: Readonly<Record<string, string>>;
}

export interface WorkerMounts {
  /** All or nothing. What cells may write to lies in `folder`, and goes with it. */
  bring(wanted: WantedMounts, folder: string, signal: AbortSignal): Promise<BroughtMounts>;
}

/** Refuses what could not be mounted whoever asks, before anything is done for the cell. */
export function checkMounts(mounts: readonly NamedMount[]): void {
  const names = new Set<string>();
  for (const { name, uri } of mounts) {
    if (names.has(name)) throw invalid(`There are two mounts ${name}.`);
    names.add(name);
    if (/^file:/i.test(uri) || !uri.includes('://'))
      throw invalid(`The mount ${name} is a folder of another machine; a worker cannot read it.`);
    if (!placeIn(uri)) throw invalid(`The mount ${name} names no bucket that this worker knows how to reach.`);
  }
}

export function createWorkerMounts(stores: RemoteMounts, lender: Lender): WorkerMounts {
  async function one(mount: NamedMount, env: WantedMounts['env'], folder: string, signal: AbortSignal) {
    let hide = hiding([]);
    const told = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) throw error;
        const said = error instanceof Error ? error.message : String(error);
        const reason = error instanceof CredentialRefused ? said : `${mount.uri} could not be reached: ${hide(said)}`;
        throw failed(500, `@mount ${mount.name}: ${reason}`);
      }
    };
    return told(async () => {
      checkOptions(mount);
      const options = storageOptions(lender, mount, { directory: '/', env });
      hide = hiding(secretsIn(options));
      const look = await stores.look({ ...mount, options }, signal);
      const prepared = await look.prepare(signal, path.join(folder, mount.name));
      const bytes = mount.mode === 'rw' ? look.bytes : look.bytes - look.cachedBytes;
      return { mount, bytes, file: prepared.file, finish: (ok: boolean) => told(() => prepared.finish(ok)) };
    });
  }

  /** The operator's credentials go to no address that somebody else chose. */
  function checkOptions(mount: NamedMount): void {
    const chosen = optionOfMachine(mount);
    const [name] = credentialNames(lender, mount);
    if (chosen !== undefined && name !== undefined)
      throw new CredentialRefused(
        `options.${chosen} may not stand beside credential '${name}' of this worker; its operator can set it there.`,
      );
  }

  return {
    async bring({ mounts, env }, folder, signal) {
      const brought: { mount: NamedMount; bytes: number; file: string; finish: PreparedMount['finish'] }[] = [];
      async function finish(succeeded: boolean): Promise<MountWrites[]> {
        const done = await Promise.allSettled(brought.map((one) => one.finish(succeeded)));
        return done.flatMap((end, index): MountWrites[] => {
          if (end.status === 'rejected') throw end.reason;
          const mount = brought[index]?.mount;
          return mount && end.value.length > 0 ? [{ mount: mount.name, uri: mount.uri, files: end.value }] : [];
        });
      }
      try {
        for (const mount of mounts) brought.push(await one(mount, env, folder, signal));
      } catch (error) {
        await finish(false);
        throw error;
      }
      return {
        inputs: Object.fromEntries(brought.map(({ mount, file }) => [mount.name, { contentType: 'file/path', file }])),
        bytes: Object.fromEntries(brought.map(({ mount, bytes }) => [mount.name, bytes])),
        finish,
      };
    },
  };
}
