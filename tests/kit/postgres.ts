// A real PostgreSQL in a temporary folder, on a socket of its own, thrown away afterwards.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { findProgram, needProgram } from './parts.ts';

export interface TestPostgres extends AsyncDisposable {
  readonly dsn: string;
  /** Everything it has logged since the last time. */
  logged(): string;
}

export interface KillablePostgres extends TestPostgres {
  /** The server that all others of it are children of. */
  readonly pid: number | undefined;
  /** The address of a database of its own. */
  newDatabase(name: string): Promise<string>;
  /** `kill -9` of it and of all that it started, and waits for its end. */
  kill(): Promise<void>;
  /** Starts it again on what it left. */
  start(): Promise<void>;
}

const run = promisify(execFile);

function installedIn(): string[] {
  const versions = '/usr/lib/postgresql';
  if (!fs.existsSync(versions)) return [];
  return fs
    .readdirSync(versions)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => path.join(versions, version, 'bin'));
}

/** Where it is installed, undefined if nowhere. */
export function postgresPrograms(): string | undefined {
  const initdb = findProgram('initdb', installedIn());
  return initdb === undefined ? undefined : path.dirname(initdb);
}

/** Undefined when PostgreSQL is not installed and the test was skipped. `settings`: more of its own, as `name=value`. */
export async function startPostgres(
  t: Pick<TestContext, 'skip'>,
  settings: readonly string[] = [],
): Promise<TestPostgres | undefined> {
  const initdb = needProgram(t, 'initdb', 'Install PostgreSQL (Debian: apt install postgresql).', installedIn());
  return initdb === undefined ? undefined : launchPostgres(path.dirname(initdb), settings);
}

export async function launchPostgres(programs: string, settings: readonly string[] = []): Promise<KillablePostgres> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-pg-'));
  // PostgreSQL refuses to run as root, so there it runs as the user that its package made.
  const user: { uid?: number; gid?: number } = process.getuid?.() === 0 ? await userIds('postgres') : {};
  if (user.uid !== undefined && user.gid !== undefined) fs.chownSync(folder, user.uid, user.gid);
  const data = path.join(folder, 'data');
  await run(
    path.join(programs, 'initdb'),
    ['-D', data, '-U', 'svc', '--auth=trust', '--no-sync', '--encoding=UTF8', '--no-locale'],
    { ...user, cwd: folder },
  );
  const args = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'max_connections=120'];
  args.push(...settings.flatMap((each) => ['-c', each]));
  let logged = '';
  let server: ChildProcess | undefined;

  /** Whether it came up; what a killed one left behind may still hold its memory for a moment. */
  async function attempt(): Promise<string | undefined> {
    const child = spawn(path.join(programs, 'postgres'), args, {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    const outcome = await new Promise<string | undefined>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        logged += chunk.toString();
        if (text.includes('ready to accept connections')) resolve(undefined);
      });
      child.on('exit', () => resolve(text));
    });
    if (outcome === undefined) server = child;
    return outcome;
  }

  async function start(): Promise<void> {
    for (;;) {
      const problem = await attempt();
      if (problem === undefined) return;
      if (!problem.includes('still in use')) throw new Error(`PostgreSQL did not start:\n${problem}`);
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  }

  await start();
  const dsnOf = (name: string): string => `postgresql://svc@/${name}?host=${encodeURIComponent(folder)}`;
  return {
    logged() {
      const since = logged;
      logged = '';
      return since;
    },
    dsn: dsnOf('postgres'),
    get pid() {
      return server?.pid;
    },
    async newDatabase(name) {
      await run(path.join(programs, 'createdb'), ['-h', folder, '-U', 'svc', name], { cwd: folder });
      return dsnOf(name);
    },
    async kill() {
      // What it started notices its end by and by, and may answer a query more until then.
      const started = server?.pid === undefined ? [] : childrenOf(server.pid);
      const ended = end('SIGKILL');
      for (const pid of started) endAnyhow(pid);
      await ended;
    },
    start,
    async [Symbol.asyncDispose]() {
      await end('SIGINT');
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Linux alone tells. */
function childrenOf(pid: number): number[] {
  const told = `/proc/${pid}/task/${pid}/children`;
  return fs.existsSync(told) ? fs.readFileSync(told, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
}

function endAnyhow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function userIds(name: string): Promise<{ uid: number; gid: number }> {
  const ids = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)));
  return { uid: ids[0] ?? 0, gid: ids[1] ?? 0 };
}
