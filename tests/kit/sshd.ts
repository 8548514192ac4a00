// A machine that is reached by ssh: a real sshd of this one, with a home of its own.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findPython } from '../../scripts/setup/python.js';
import { findUv } from '../../scripts/setup/uv.js';
import { freePort } from './ports.ts';
import { cleanEnvironment, machineCache } from './server.ts';

const sshd = '/usr/sbin/sshd';
/** For tests that are left out without one. */
export const withoutSshd = fs.existsSync(sshd) && os.userInfo().uid === 0 ? false : 'needs sshd, and root to run it';
const program = fileURLToPath(new URL('../../bin/svc-worker.js', import.meta.url));

interface Machine {
  /** Where an `ssh` lies that knows the way. */
  readonly programs: string;
  readonly home: string;
}

/** A machine to log in to under the name `lab`, which has the worker on its path or next to nothing. */
export async function startSshd(context: TestContext, { isBare = false } = {}): Promise<Machine> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-sshd-'));
  const port = await freePort();
  const at = (name: string): string => path.join(folder, name);
  for (const key of ['host', 'user']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(key)]);
  fs.mkdirSync(at('bin'));
  const script = (name: string, text: string): void => fs.writeFileSync(at(`bin/${name}`), text, { mode: 0o755 });
  // A login has an environment of its own; indexes and interpreters are those of this machine.
  const exports = Object.entries(cleanEnvironment(folder))
    .filter(([name, value]) => /^[A-Za-z]\w*$/.test(name) && !value?.includes("'"))
    .map(([name, value]) => `export ${name}='${value}'\n`);
  const home = isBare ? at('home') : folder;
  if (isBare) fs.mkdirSync(home);
  const variables = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(UV|SSL|PIP)_|_proxy$/i.test(name))),
    ...machineCache,
    PATH: isBare ? await barePath(at('far')) : `${at('bin')}:${process.env.PATH}`,
    HOME: home,
  };
  const given = Object.entries(variables).map(([name, value]) => `"${name}=${value}"`);
  script('svc-worker', `#!/bin/sh\n${exports.join('')}exec ${process.execPath} ${program} "$@"\n`);
  script('ssh', `#!/bin/sh\nexec /usr/bin/ssh -F ${at('config')} "$@"\n`);
  fs.writeFileSync(
    at('config'),
    `Host lab\n  HostName 127.0.0.1\n  Port ${port}\n  User root\n  IdentityFile ${at('user')}\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n`,
  );
  fs.writeFileSync(
    at('sshd_config'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${at('host')}\nAuthorizedKeysFile ${at('user.pub')}\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin yes\nUsePAM no\nPidFile none\nSetEnv ${given.join(' ')}\n`,
  );
  fs.mkdirSync('/run/sshd', { recursive: true });
  const daemon = spawn(sshd, ['-D', '-e', '-f', at('sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    daemon.stderr.on('data', (piece: Buffer) => {
      said += piece.toString();
      if (said.includes('Server listening')) resolve();
    });
    daemon.on('exit', () => reject(new Error(said)));
  });
  context.after(() => {
    daemon.kill();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  return { programs: at('bin'), home };
}

/** A folder with what every system has, a Python and uv: no Node, no worker. */
async function barePath(folder: string): Promise<string> {
  fs.mkdirSync(folder);
  const common = 'sh tar gzip mkdir mv rm rmdir uname ls find sed cat sleep nohup ps grep tr tail';
  const found = common.split(' ').map((name) => [name, execFileSync('which', [name], { encoding: 'utf8' }).trim()]);
  const python = await findPython();
  const uv = findUv();
  assert.ok(python && uv);
  for (const [name = '', file = ''] of [...found, ['python3', python.command], ['uv', uv]])
    fs.symlinkSync(fs.realpathSync(file), path.join(folder, name));
  return folder;
}
