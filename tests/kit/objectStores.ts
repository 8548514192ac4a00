// Servers that speak as S3, Google Cloud Storage and Azure Blob do, each a process of its own with nothing kept: moto's and
// an emulator from PyPI, azurite from npm. Made ready on demand below `.tools`, never installed with the service.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../scripts/setup/lock.js';
import { tools } from '../../scripts/setup/places.js';
import { run } from '../../scripts/setup/run.js';
import { fingerprint, readStamp, writeStamp } from '../../scripts/setup/stamp.js';
import { freePort } from './ports.ts';
import { pythonEnvironment } from './pythonEnvironment.ts';

export interface ObjectStore extends AsyncDisposable {
  /** Where its clients look: variables for the process that uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** The same as settings of the service. */
  readonly settings: Readonly<Record<string, string>>;
  /** Ends the server; what it held is gone. */
  stop(): Promise<void>;
}

export const bucket = 'svc-tests';
export const storeKinds = ['s3', 'gcs', 'azure'] as const;
const requirements = fileURLToPath(new URL('./object-stores-requirements.txt', import.meta.url));
const azuriteSource = fileURLToPath(new URL('./azurite', import.meta.url));

type Starter = (note: (text: string) => void) => Promise<ObjectStore>;

export const objectStores: Readonly<Record<'s3' | 'gcs' | 'azure', Starter>> = {
  async s3(note) {
    const bin = await pythonEnvironment('test-object-stores', requirements, note);
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const server = await start(path.join(bin, 'moto_server'), ['-H', '127.0.0.1', '-p', String(port)], port);
    await put(`${address}/${bucket}`);
    return {
      ...server,
      env: {
        AWS_ENDPOINT_URL: address,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'tests',
        AWS_SECRET_ACCESS_KEY: 'tests',
        AWS_MAX_ATTEMPTS: '1',
      },
      settings: {
        SVC_S3_ENDPOINT_URL: address,
        SVC_S3_ACCESS_KEY: 'tests',
        SVC_S3_SECRET_KEY: 'tests',
        SVC_S3_REGION: 'us-east-1',
        SVC_S3_CONNECT_TIMEOUT_SECONDS: '1',
      },
    };
  },

  async gcs(note) {
    const bin = await pythonEnvironment('test-object-stores', requirements, note);
    const port = await freePort();
    const args = ['start', '--host=127.0.0.1', `--port=${port}`, '--in-memory', `--default-bucket=${bucket}`];
    const server = await start(path.join(bin, 'gcp-storage-emulator'), args, port);
    const address = `http://127.0.0.1:${port}`;
    return {
      ...server,
      env: { STORAGE_EMULATOR_HOST: address },
      settings: { SVC_GCS_ENDPOINT_OVERRIDE: address, SVC_GCS_ANONYMOUS: 'true' },
    };
  },

  async azure(note) {
    const folder = path.join(tools, 'test-azurite');
    await withLock({ note }, () => installAzurite(folder));
    const port = await freePort();
    const program = path.join(folder, 'node_modules/.bin/azurite-blob');
    const args = [program, '--inMemoryPersistence', '--blobPort', String(port), '--skipApiVersionCheck', '--silent'];
    const server = await start(process.execPath, args, port);
    const { BlobServiceClient } = await import('@azure/storage-blob');
    // The account that every installation of the emulator has.
    const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
    const account = 'devstoreaccount1';
    const connection = `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};BlobEndpoint=http://127.0.0.1:${port}/${account};`;
    await BlobServiceClient.fromConnectionString(connection).createContainer(bucket);
    return {
      ...server,
      env: { AZURE_STORAGE_CONNECTION_STRING: connection },
      settings: { SVC_AZURE_CONNECTION_STRING: connection },
    };
  },
};

/** Undefined after the test was marked as skipped, which CI does not accept. */
export async function startObjectStore(
  t: TestContext,
  kind: keyof typeof objectStores,
): Promise<ObjectStore | undefined> {
  try {
    return await objectStores[kind]((text) => t.diagnostic(text));
  } catch (problem) {
    if (process.env.SVC_TEST_ALL === '1') throw problem;
    t.skip(`A server for ${kind} could not be started: ${String(problem)}`);
    return undefined;
  }
}

async function installAzurite(folder: string): Promise<void> {
  const files = ['package.json', 'package-lock.json', '.npmrc'];
  const stamp = fingerprint(
    files.map((file) => path.join(azuriteSource, file)),
    [],
  );
  if (readStamp(folder) === stamp) return;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  for (const file of files) fs.copyFileSync(path.join(azuriteSource, file), path.join(folder, file));
  const { code, tail } = await run('npm', ['ci', '--loglevel=error', '--prefix', folder]);
  if (code !== 0) throw new Error(tail);
  writeStamp(folder, stamp);
}

async function start(
  command: string,
  args: readonly string[],
  port: number,
): Promise<Omit<ObjectStore, 'env' | 'settings'>> {
  const server = spawn(command, args, { stdio: 'ignore' });
  const exited = once(server, 'exit');
  await Promise.race([
    answers(port, server),
    exited.then(([code]) => Promise.reject(new Error(`${command} ended with ${code}`))),
  ]);
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL');
    await exited;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

/** Asked again and again until it answers anything at all, or is gone. */
async function answers(port: number, server: ChildProcess): Promise<void> {
  while (server.exitCode === null) {
    const there = await new Promise<boolean>((resolve) => {
      http
        .get({ host: '127.0.0.1', port, path: '/' }, (response) => resolve(response.resume().statusCode !== undefined))
        .on('error', () => setTimeout(() => resolve(false), 50));
    });
    if (there) return;
  }
}

function put(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http
      .request(url, { method: 'PUT' }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
}
