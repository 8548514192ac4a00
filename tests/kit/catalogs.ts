// Catalogs in processes of their own, each over a warehouse in a temporary folder: one of Iceberg's REST protocol, and a
// metastore of Hive.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { enginePython } from '../../scripts/setup/places.js';

export interface TestCatalog extends AsyncDisposable {
  readonly address: string;
  /** Of the tables that are made in it. */
  readonly folder: string;
  stop(): Promise<void>;
}

export const startRestCatalog = (token: string): Promise<TestCatalog> => start('http', 'restCatalog.py', token);

export const startHiveMetastore = (version: '3' | '4'): Promise<TestCatalog> =>
  start('thrift', 'hiveMetastore.py', version);

async function start(protocol: string, program: string, ...args: string[]): Promise<TestCatalog> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'svc-catalog-'));
  const file = path.join(import.meta.dirname, program);
  const child = spawn(enginePython, [file, folder, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  };
  return {
    address: `${protocol}://127.0.0.1:${String(port).trim()}`,
    folder,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
