// A worker and a server as the trial starts them: from the folder that it lies in, on the Node that runs it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface Program {
  readonly address: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

const root = path.resolve(import.meta.dirname, '../..');

async function start(name: string, args: readonly string[], env: Record<string, string>): Promise<Program> {
  const child = spawn(process.execPath, [path.join(root, 'bin', `${name}.js`), ...args], {
    env: { ...process.env, SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'WARNING', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let said = '';
  const address = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => {
        said = (said + piece.toString()).slice(-20_000);
        const found = /serves on (https?:\/\/\S+)\s/.exec(said)?.[1];
        if (found !== undefined) resolve(found.replace('0.0.0.0', '127.0.0.1'));
      });
    void exited.then(() => reject(new Error(`${name} ended before it served:\n${said}`)));
  });
  return {
    address,
    process: child,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** `mark` is inherited by every process that the worker starts. */
export const startWorker = (args: readonly string[], folder: string, mark: string): Promise<Program> =>
  start('svc-worker', ['--host', '127.0.0.1', '--port', '0', '--environment', 'own', ...args], {
    SVC_WORKER_ENV_ROOT: path.join(folder, 'worker-envs'),
    SVC_WORKER_ALLOW_LOCAL_HOSTS: '1',
    TRIAL_MARK: mark,
  });

/** A notebook wants an environment here too before it runs anything: without a network this is an empty one. */
const standIn = `#!/bin/sh
[ "$1" = python ] && echo '[]'
[ "$1" = sync ] || exit 0
place=\${UV_PROJECT_ENVIRONMENT:-.venv}
python=$(python3 -c 'import sys; print(sys.executable)')
mkdir -p "$place/bin"
ln -sf "$python" "$place/bin/python"
printf 'home = %s\\n' "$(dirname "$python")" > "$place/pyvenv.cfg"
[ -f uv.lock ] || printf 'version = 1\\nrequires-python = ">=3.10"\\n' > uv.lock
`;

export function startServer(folder: string): Promise<Program> {
  const programs = path.join(folder, 'bin');
  fs.mkdirSync(programs);
  fs.writeFileSync(path.join(programs, 'uv'), standIn, { mode: 0o755 });
  return start('svc', ['serve'], {
    HOME: folder,
    PATH: `${programs}:${process.env.PATH}`,
    SVC_HOST: '127.0.0.1',
    SVC_PORT: '0',
    SVC_RATE_LIMIT_ENABLED: 'false',
    UV_OFFLINE: '1',
    PIP_NO_INDEX: '1',
  });
}

export async function ask(address: string, method: string, route: string, json?: unknown): Promise<Answered> {
  const answer = await fetch(`${address}${route}`, {
    method,
    ...(json === undefined ? {} : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }),
  });
  const text = await answer.text();
  if (answer.status === 409 && text.includes('is being prepared')) {
    await pause(500);
    return ask(address, method, route, json);
  }
  if (!answer.ok) throw new Error(`${method} ${route} answered ${answer.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** The fields that the trial reads of what a server answers. */
export interface Answered {
  readonly id: string;
  readonly session_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly remote_worker?: string;
  readonly display?: { readonly preview?: unknown } | null;
}

/** Sends a cell to the worker itself; one that is full is asked again. */
export async function push(worker: Program, source: string, id: string): Promise<{ status: number; text: string }> {
  for (;;) {
    const metadata = {
      protocol_version: 'v1',
      build_id: id,
      transform: { ref: 'notebook_cell@v1', params: { source, timeout_seconds: 600 } },
    };
    const body = new FormData();
    body.append('metadata', new Blob([JSON.stringify(metadata)]), 'metadata.json');
    const answer = await fetch(`${worker.address}/v1/execute`, { method: 'POST', body });
    const text = await answer.text();
    if (answer.status !== 503) return { status: answer.status, text };
  }
}
