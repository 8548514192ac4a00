// A real Iceberg REST catalog in a process of its own, over a warehouse in a temporary folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { enginePython } from '../../scripts/setup/places.js';

export interface RestCatalog extends AsyncDisposable {
  readonly address: string;
  stop(): Promise<void>;
}

export async function startRestCatalog(token: string): Promise<RestCatalog> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'svc-rest-catalog-'));
  const program = path.join(import.meta.dirname, 'restCatalog.py');
  const child = spawn(enginePython, [program, folder, token], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  };
  return {
    address: `http://127.0.0.1:${String(port).trim()}`,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
