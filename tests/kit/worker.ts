// A real worker in a process of its own, and what is sent to it.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { enginePython } from '../../scripts/setup/places.js';
import { type BundleManifest, manifestSchema, readTar } from '../../src/bundle/index.ts';
import { type WorkerHealth, workerHealthSchema } from '../../src/protocol/index.ts';
import { cleanEnvironment, type Environment, newHome } from './server.ts';

const program = fileURLToPath(new URL('../../bin/svc-worker.js', import.meta.url));

/** The engine's environment has what tables and functions travel by. */
const withPackages = existsSync(enginePython) ? { SVC_WORKER_PYTHON: enginePython } : {};

type Body = string | FormData;

export interface TestWorker extends AsyncDisposable {
  readonly address: string;
  readonly process: ChildProcess;
  output(): string;
  post(path: string, body?: Body, headers?: Record<string, string>): Promise<Response>;
  /** Pushes a cell; `params` stands beside its source. */
  execute(source: string, options?: Pushed): Promise<Response>;
}

export interface Pushed {
  readonly params?: object;
  readonly metadata?: object;
  readonly inputs?: readonly object[];
  readonly files?: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
  readonly headers?: Record<string, string>;
}

export async function startWorker(
  options: { env?: Environment; args?: readonly string[]; home?: string; command?: readonly string[] } = {},
): Promise<TestWorker> {
  const home = options.home ?? newHome();
  const [launcher = '', ...first] = options.command ?? [process.execPath, program];
  const child = spawn(launcher, [...first, '--port', '0', ...(options.args ?? [])], {
    cwd: home,
    env: cleanEnvironment(home, { SVC_LOG_LEVEL: 'WARNING', ...withPackages, ...options.env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => {
        text += piece.toString();
        const found = /svc-worker (?:serves on|dials) (\S+)/.exec(text)?.[1];
        if (found !== undefined) resolve(found.replace('0.0.0.0', '127.0.0.1'));
      });
    void exited.then(() => reject(new Error(`The worker ended before it served:\n${text}`)));
  });
  const post = (route: string, body: Body = '', headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${address}${route}`, { method: 'POST', body, headers });
  return {
    address,
    process: child,
    output: () => text,
    post,
    execute: (source, pushed = {}) => post('/v1/execute', cellForm(source, pushed), pushed.headers),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export function cellForm(source: string, { params = {}, metadata = {}, inputs = [], files = {} }: Pushed): FormData {
  return form(
    {
      protocol_version: 'v1',
      build_id: 'notebook-000000000001',
      transform: { ref: 'notebook_cell@v1', params: { source, timeout_seconds: 30, ...params } },
      inputs,
      ...metadata,
    },
    files,
  );
}

export function form(metadata: unknown, files: Pushed['files'] = {}): FormData {
  const body = new FormData();
  const text = typeof metadata === 'string' ? metadata : JSON.stringify(metadata);
  body.append('metadata', new Blob([text], { type: 'application/json' }), 'metadata.json');
  for (const [name, content] of Object.entries(files)) body.append(name, new Blob([content]), path.basename(name));
  return body;
}

export interface BundleText {
  /** In the order in which they were packed. */
  readonly members: Readonly<Record<string, string>>;
  readonly manifest: BundleManifest;
}

export async function readBundleText(bytes: Uint8Array): Promise<BundleText> {
  const members: Record<string, string> = {};
  for await (const { name, body } of readTar(Readable.from([bytes])))
    members[name] = Buffer.concat(await Array.fromAsync(body)).toString();
  return { members, manifest: manifestSchema.parse(JSON.parse(members['manifest.json'] ?? 'null')) };
}

export const bundleOf = async (answer: Response): Promise<BundleText> =>
  readBundleText(new Uint8Array(await answer.arrayBuffer()));

/** Status and keys of an answer that is no bundle. */
export const refusalOf = async (answer: Response): Promise<[number, string]> => [
  answer.status,
  Object.keys(z.record(z.string(), z.unknown()).parse(await answer.json())).join(),
];
export const detail = (status: number): [number, string] => [status, 'detail'];
export const failure = (status: number): [number, string] => [status, 'success,error'];

export const health = async (worker: TestWorker): Promise<WorkerHealth> =>
  workerHealthSchema.parse(await (await fetch(`${worker.address}/health?complete=true`)).json());
