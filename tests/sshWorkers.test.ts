// Workers that a server starts over ssh, on a real sshd of this machine.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { sshWorker, workersBody } from '../src/protocol/index.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { cleanEnvironment, startServer } from './kit/server.ts';

const sshd = '/usr/sbin/sshd';
const canRun = fs.existsSync(sshd) && os.userInfo().uid === 0;
const program = fileURLToPath(new URL('../bin/svc-worker.js', import.meta.url));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}

/** A machine to log in to under the name `lab`; gives the folder of an `ssh` that knows the way. */
async function startSshd(context: TestContext): Promise<string> {
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
  script('svc-worker', `#!/bin/sh\n${exports.join('')}exec ${process.execPath} ${program} "$@"\n`);
  script('ssh', `#!/bin/sh\nexec /usr/bin/ssh -F ${at('config')} "$@"\n`);
  fs.writeFileSync(
    at('config'),
    `Host lab\n  HostName 127.0.0.1\n  Port ${port}\n  User root\n  IdentityFile ${at('user')}\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n`,
  );
  fs.writeFileSync(
    at('sshd_config'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${at('host')}\nAuthorizedKeysFile ${at('user.pub')}\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin yes\nUsePAM no\nPidFile none\nSetEnv PATH=${at('bin')}:${process.env.PATH} HOME=${folder}\n`,
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
  return at('bin');
}

describe('a worker over ssh', { skip: canRun ? false : 'needs sshd, and root to run it' }, () => {
  it('is started, used, reconnected and taken away', async (context) => {
    const programs = await startSshd(context);
    await using server = await startServer({ env: { PATH: `${programs}:${process.env.PATH}` } });
    const notebook = await createTestNotebook(server, 'Ssh');
    const remotePort = await freePort();
    const asked = { ssh_target: 'lab', name: 'lab', set_default: true, remote_port: remotePort };
    const answer = await notebook.request('POST', '/workers/ssh', asked);
    assert.equal(answer.status, 200, answer.text);
    const { worker } = z.looseObject({ worker: sshWorker }).parse(answer.json);
    assert.deepEqual([worker.name, worker.healthy, worker.remote_port], ['lab', true, remotePort]);

    const cell = await notebook.add('import os\nx = 6 * 7\nx');
    const ran = await notebook.run(cell);
    assert.deepEqual([ran.remote_worker, ran.display?.preview], ['lab', 42], String(ran.error));

    // The tunnel breaks: it is opened again on the same ports.
    const before = tunnelProcesses(worker.local_port);
    assert.equal(before.length, 1);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    const tunnels = async () =>
      z.object({ tunnels: z.array(sshWorker) }).parse((await notebook.request('GET', '/workers/ssh')).json).tunnels;
    for (
      let isBack = false;
      !isBack;
      isBack = (await tunnels())[0]?.healthy === true && tunnelProcesses(worker.local_port)[0] !== before[0]
    );
    await notebook.edit(cell, 'x = 6 * 8\nx');
    assert.equal((await notebook.run(cell)).display?.preview, 48);

    const removed = await notebook.request('DELETE', '/workers/ssh/lab?stop_remote=true');
    const body = workersBody.extend({ torn_down: z.boolean() }).parse(removed.json);
    assert.deepEqual(
      [body.torn_down, body.workers.map(({ name, source }) => `${name} ${source}`), await tunnels()],
      [true, ['local builtin', 'lab referenced'], []],
    );
    assert.throws(() => process.kill(worker.remote_pid, 0));
  });

  it('that cannot be had says why', async (context) => {
    const programs = await startSshd(context);
    await using server = await startServer({ env: { PATH: `${programs}:${process.env.PATH}` } });
    const notebook = await createTestNotebook(server, 'No ssh');
    const refused = async (body: object) => (await notebook.request('POST', '/workers/ssh', body)).status;
    assert.deepEqual(
      [
        await refused({ ssh_target: '-oProxyCommand=evil' }),
        await refused({ ssh_target: 'a b' }),
        await refused({ ssh_target: '' }),
        await refused({ ssh_target: 'lab', name: 'local' }),
        await refused({ ssh_target: 'lab', name: 'a;b' }),
        await refused({ ssh_target: 'no-such-host.invalid' }),
      ],
      [400, 400, 422, 400, 422, 400],
    );
  });
});

/** Ids of ssh processes that forward this port. */
function tunnelProcesses(port: number): number[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes(`127.0.0.1:${port}:127.0.0.1:`);
      } catch {
        return false;
      }
    })
    .map(Number);
}
