// A real server in a process of its own, on a free port, in a home that nobody else uses.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRest, type Rest } from './rest.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const svc = path.join(root, 'bin/svc.js');

export interface TestServer extends AsyncDisposable {
  readonly address: string;
  readonly home: string;
  readonly process: ChildProcess;
  readonly rest: Rest;
  /** Everything printed so far, both streams. */
  output(): string;
  /** Resolves when the output matches. */
  printed(pattern: RegExp): Promise<void>;
  /** Ends it by a signal and waits; gives the exit code, or the signal's name when it died of one. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

export type Environment = Readonly<Record<string, string>>;

export function newHome(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'svc-home-'));
}

/** The machine's own cache of packages: a program with another home would download everything anew. */
export const machineCache = { UV_CACHE_DIR: process.env.UV_CACHE_DIR ?? path.join(os.homedir(), '.cache/uv') };

/** The machine's environment without settings of this service, and with a home of its own. */
export function cleanEnvironment(home: string, env: Environment = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|OTEL_|NODE_TEST)/.test(name));
  return { ...Object.fromEntries(inherited), ...machineCache, HOME: home, NO_COLOR: '1', ...env };
}

/** Of a program on this Node: its clock differs from the machine's by so many seconds. */
export const clockOff = (seconds: number): Environment => ({
  NODE_OPTIONS: `--import=${new URL('../fixtures/otherClock.ts', import.meta.url)}?seconds=${seconds}`,
});

/** Of a program on this Node: after each SIGUSR2 its clock differs by the seconds that stand in the file. */
export const clockBy = (file: string): Environment => ({
  NODE_OPTIONS: `--import=${new URL('../fixtures/otherClock.ts', import.meta.url)}?file=${encodeURIComponent(file)}`,
});

/** `within`: a command that becomes the one that follows it, in surroundings of its own. */
export async function startServer(
  options: { env?: Environment; home?: string; cwd?: string; program?: string; within?: readonly string[] } = {},
): Promise<TestServer> {
  const home = options.home ?? newHome();
  const [command = '', ...args] = [...(options.within ?? []), process.execPath, options.program ?? svc, 'serve'];
  const child = spawn(command, args, {
    cwd: options.cwd ?? home,
    env: cleanEnvironment(home, { SVC_PORT: '0', SVC_RATE_LIMIT_ENABLED: 'false', ...options.env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const watchers = new Set<() => void>();
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? signal ?? -1));
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (const watcher of watchers) watcher();
    });
  }
  const printed = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(text)) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      void exited.then((code) =>
        reject(new Error(`The server ended with ${code} before it printed ${pattern}:\n${text}`)),
      );
      look();
    });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> => {
    child.kill(signal);
    return exited;
  };

  await printed(/svc serves on (\S+)/);
  const address = /svc serves on (\S+)/.exec(text)?.[1] ?? '';
  return {
    address,
    home,
    process: child,
    rest: createRest(address),
    output: () => text,
    printed,
    stop,
    async [Symbol.asyncDispose]() {
      await stop('SIGKILL');
      if (options.home === undefined) fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one `svc` command to its end. */
export function runSvc(
  args: readonly string[],
  options: { env?: Environment; home: string; cwd?: string },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [svc, ...args], {
      cwd: options.cwd ?? options.home,
      env: cleanEnvironment(options.home, options.env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
