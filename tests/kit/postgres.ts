// A real PostgreSQL in a temporary folder, on a socket of its own, thrown away afterwards.
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { needProgram } from './parts.ts';

export interface TestPostgres extends AsyncDisposable {
  readonly dsn: string;
  /** Everything it has logged since the last time. */
  logged(): string;
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

/** Undefined when PostgreSQL is not installed and the test was skipped. `settings`: more of its own, as `name=value`. */
export async function startPostgres(
  t: Pick<TestContext, 'skip'>,
  settings: readonly string[] = [],
): Promise<TestPostgres | undefined> {
  const initdb = needProgram(t, 'initdb', 'Install PostgreSQL (Debian: apt install postgresql).', installedIn());
  if (initdb === undefined) return undefined;
  const bin = path.dirname(initdb);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-pg-'));
  // PostgreSQL refuses to run as root, so there it runs as the user that its package made.
  const user: { uid?: number; gid?: number } = process.getuid?.() === 0 ? await userIds('postgres') : {};
  if (user.uid !== undefined && user.gid !== undefined) fs.chownSync(folder, user.uid, user.gid);
  const data = path.join(folder, 'data');
  await run(initdb, ['-D', data, '-U', 'svc', '--auth=trust', '--no-sync', '--encoding=UTF8', '--no-locale'], {
    ...user,
    cwd: folder,
  });
  const args = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'max_connections=120'];
  args.push(...settings.flatMap((each) => ['-c', each]));
  const server = spawn(path.join(bin, 'postgres'), args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = new Promise<void>((resolve) => server.on('exit', () => resolve()));
  let text = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('ready to accept connections')) resolve();
    });
    server.on('exit', () => reject(new Error(`PostgreSQL did not start:\n${text}`)));
  });
  return {
    logged() {
      const since = text;
      text = '';
      return since;
    },
    dsn: `postgresql://svc@/postgres?host=${encodeURIComponent(folder)}`,
    async [Symbol.asyncDispose]() {
      server.kill('SIGINT');
      await exited;
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function userIds(name: string): Promise<{ uid: number; gid: number }> {
  const ids = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)));
  return { uid: ids[0] ?? 0, gid: ids[1] ?? 0 };
}
