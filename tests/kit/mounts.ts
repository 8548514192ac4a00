// Object stores as mounts see them: the scheme and the options for each kind, objects put and read.
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openRemoteStore, type RemoteStore } from '../../src/mounts/remoteStore.ts';
import type { StorageOptions, StorePlace } from '../../src/mounts/storageOptions.ts';

type Variables = Readonly<Record<string, string>>;

export const mountKinds = {
  s3: {
    scheme: 's3',
    options: (env: Variables) => ({ key: 'tests', secret: 'tests', endpoint_url: env.AWS_ENDPOINT_URL ?? '' }),
  },
  gcs: {
    scheme: 'gs',
    options: (env: Variables) => ({ token: 'anon', endpoint_url: env.STORAGE_EMULATOR_HOST ?? '' }),
  },
  azure: {
    scheme: 'az',
    options: (env: Variables) => ({ connection_string: env.AZURE_STORAGE_CONNECTION_STRING ?? '' }),
  },
} as const;

export const openStore = (place: StorePlace, options: StorageOptions): Promise<RemoteStore> =>
  openRemoteStore(place, options, { connectSeconds: 10, requestSeconds: 30 });

export async function putObject(store: RemoteStore, name: string, text: string): Promise<void> {
  const file = path.join(await fs.mkdtemp(path.join(os.tmpdir(), 'svc-object-')), 'object');
  await fs.writeFile(file, text);
  await store.upload(name, file);
}

export async function textOf(store: RemoteStore, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await store.read(name, AbortSignal.timeout(60_000))) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
