// Workers that a server starts over ssh, on a real sshd of this machine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { sshWorker, workersBody } from '../src/protocol/index.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { freePort } from './kit/ports.ts';
import { startServer } from './kit/server.ts';
import { startSshd, withoutSshd } from './kit/sshd.ts';

describe('a worker over ssh', { skip: withoutSshd }, () => {
  it('is started, used, reconnected and taken away', async (context) => {
    const { programs } = await startSshd(context);
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
      [true, ['local builtin'], []],
      'a worker that is gone is not the default any more either',
    );
    assert.throws(() => process.kill(worker.remote_pid, 0));
  });

  it('is brought to a machine that has nothing, and leaves nothing there', { timeout: 800_000 }, async (context) => {
    const { programs, home } = await startSshd(context, { isBare: true });
    await using server = await startServer({ env: { PATH: `${programs}:${process.env.PATH}` } });
    const notebook = await createTestNotebook(server, 'Bare');
    const remotePort = await freePort();
    const asked = { ssh_target: 'lab', set_default: true, remote_port: remotePort };
    const tried = async (body: object) => {
      const { status, text } = await notebook.request('POST', '/workers/ssh', { ...asked, ...body });
      return `${status} ${text}`;
    };
    assert.match(await tried({ install: false }), /^400 .*lab has no svc-worker on its path/);
    assert.match(await tried({ pin: '99.0.0' }), /^400 .*installs svc-worker .*, not 99\.0\.0/);
    assert.deepEqual(fs.readdirSync(home), []);

    assert.match(await tried({}), /^200 /);
    const ran = await notebook.run(await notebook.add('import os\nos.environ["HOME"]'));
    assert.deepEqual([ran.remote_worker, ran.display?.preview], ['lab', home], String(ran.error));

    // What is there is used again.
    const [copy = ''] = fs.readdirSync(path.join(home, '.svc/worker')).filter((name) => name.startsWith('program-'));
    const made = fs.statSync(path.join(home, '.svc/worker', copy)).ino;
    assert.match(await tried({ install: false }), /^200 /);
    assert.equal(fs.statSync(path.join(home, '.svc/worker', copy)).ino, made);

    const removed = await notebook.request('DELETE', '/workers/ssh/lab?stop_remote=true');
    assert.deepEqual([removed.status, fs.readdirSync(home)], [200, []]);
  });

  it('leaves a process alone that only has the number of a former worker', async (context) => {
    const { programs, home } = await startSshd(context);
    await using server = await startServer({ env: { PATH: `${programs}:${process.env.PATH}` } });
    const notebook = await createTestNotebook(server, 'Number');
    const other = spawn('sleep', ['300'], { stdio: 'ignore' });
    context.after(() => other.kill());
    fs.mkdirSync(path.join(home, '.svc'), { recursive: true });
    fs.writeFileSync(path.join(home, '.svc/worker-lab.json'), JSON.stringify({ pid: other.pid, port: 9000 }));
    const asked = { ssh_target: 'lab', remote_port: await freePort() };
    assert.equal((await notebook.request('POST', '/workers/ssh', asked)).status, 200);
    assert.equal(other.exitCode ?? other.signalCode, null);
    await notebook.request('DELETE', '/workers/ssh/lab?stop_remote=true');
  });

  it('that cannot be had says why', async (context) => {
    const { programs } = await startSshd(context);
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
