// Starting, draining, stopping and dying, with real signals.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { cleanEnvironment, newHome, runSvc, startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

describe('starting', () => {
  it('prints one line with the address and where notebooks live', async () => {
    await using server = await startServer();
    const [line, ...rest] = server
      .output()
      .trim()
      .split('\n')
      .filter((text) => text.startsWith('svc '));
    assert.deepEqual(
      [line, rest],
      [`svc serves on ${server.address} · notebooks in ${path.join(server.home, '.svc/notebooks')}`, []],
    );
  });

  it('writes only below the home’s .svc', async () => {
    await using server = await startServer();
    await server.rest.get('/health/dependencies');
    assert.deepEqual(fs.readdirSync(server.home), ['.svc']);
  });

  it('says what to do when the port is taken', async () => {
    await using first = await startServer();
    const port = new URL(first.address).port;
    const { code, stdout, stderr } = await runSvc(['serve'], { home: first.home, env: { SVC_PORT: port } });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, new RegExp(`Port ${port} is taken\\. Stop what uses it, or choose another: SVC_PORT=`));
  });

  it('says which store cannot be used, and what to do', async () => {
    const home = newHome();
    const notDatabase = path.join(home, 'garbage');
    fs.mkdirSync(notDatabase);
    fs.writeFileSync(path.join(notDatabase, 'artifacts.sqlite'), 'not a database, however long one reads on in it');
    const notFolder = path.join(home, 'file');
    fs.writeFileSync(notFolder, '');
    for (const artifactDir of [notDatabase, notFolder]) {
      for (const command of [['serve'], ['apikey', 'list']]) {
        const { code, stderr } = await runSvc(command, { home, env: { SVC_ARTIFACT_DIR: artifactDir } });
        assert.equal(code, 1);
        assert.match(
          stderr,
          new RegExp(
            `^error: The artifact store ${artifactDir}/artifacts.sqlite cannot be used \\(.+\\)\\. Make it .+\\n$`,
          ),
        );
      }
    }
    const dsn = 'postgresql://ann:hunter2@localhost:1/db';
    const { code, stderr } = await runSvc(['apikey', 'list', '--dsn', dsn], { home });
    assert.equal(code, 1);
    assert.match(stderr, /^error: The metadata database cannot be used \(connect ECONNREFUSED .+\)\. Check .+\n$/);
    assert.doesNotMatch(stderr, /hunter2/);
    fs.rmSync(home, { recursive: true });
  });

  it('warns once about settings it does not know', async () => {
    await using server = await startServer({ env: { SVC_PROT: '9000' } });
    assert.equal(server.output().match(/SVC_PROT\b/g)?.length, 1);
  });

  it('names the file and the line of a project file it cannot read', async () => {
    const home = newHome();
    fs.writeFileSync(path.join(home, 'pyproject.toml'), '[tool.svc]\nport = 9000\nhost = "unclosed\n');
    const { code, stderr } = await runSvc(['serve'], { home });
    assert.equal(code, 2);
    assert.match(stderr, /^Svc cannot start:.*pyproject\.toml.*line 3/s);
    fs.rmSync(home, { recursive: true });
  });
});

/** A request whose body never ends, and so stays in flight until it is finished by hand. */
async function openRequest(address: string): Promise<{ request: http.ClientRequest; answer: Promise<number> }> {
  const request = http.request(`${address}/v1/materialize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '2' },
  });
  const answer = new Promise<number>((resolve, reject) => {
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
  });
  request.write('{');
  await once(request, 'socket');
  return { request, answer };
}

describe('stopping', () => {
  it('ends cleanly on SIGTERM and on SIGINT', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      await using server = await startServer();
      await server.rest.get('/health');
      assert.equal(await server.stop(signal), 0);
    }
  });

  it('lets what runs finish, refuses new materializations with 503, and is not ready', async () => {
    await using server = await startServer();
    const { request, answer } = await openRequest(server.address);
    // The request is in flight once the server counts two: it and the one that asks.
    await until(
      async () => Object((await server.rest.get('/v1/debug/connections')).json).active_requests >= 2,
      'the server has taken the request',
    );
    server.process.kill('SIGTERM');
    await until(async () => (await server.rest.get('/health/ready')).status === 503, 'the server drains');
    const refused = await server.rest.post('/v1/materialize', {
      json: { inputs: [], transform: { executor: 'scan@v1' } },
    });
    assert.deepEqual(
      [refused.status, refused.json, refused.headers['retry-after']],
      [503, { detail: 'Server is shutting down. Not accepting new requests.' }, '5'],
    );
    request.end('}');
    assert.equal(await answer, 422);
    assert.equal(await new Promise((resolve) => server.process.on('exit', resolve)), 0);
  });

  it('ends followers of the log', async () => {
    await using server = await startServer();
    const [response] = (await once(http.get(`${server.address}/v1/logs/stream`), 'response')) as [http.IncomingMessage];
    response.resume();
    const ended = once(response, 'end');
    assert.equal(await server.stop(), 0);
    await ended;
  });

  it('does not wait for a follower that has stopped reading', async () => {
    await using server = await startServer();
    const { port } = new URL(server.address);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
    // More than all buffers between the two hold.
    const long = `/v1/nope?${'x'.repeat(8000)}`;
    const ask = () =>
      new Promise((resolve) =>
        http.get(`${server.address}${long}`, { agent }, (answer) => answer.resume().on('end', resolve)),
      );
    await Promise.all(Array.from({ length: 2000 }, ask));
    agent.destroy();
    const reader = net.connect(Number(port), '127.0.0.1');
    reader.on('error', () => {});
    reader.write('GET /v1/logs/stream HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(reader, 'readable');
    assert.equal(await server.stop(), 0);
    reader.destroy();
  });

  it('takes what reaches it twice for one stop: a process group is told directly and through npm', async () => {
    await using server = await startServer();
    const { request, answer } = await openRequest(server.address);
    await until(
      async () => Object((await server.rest.get('/v1/debug/connections')).json).active_requests >= 2,
      'the server has taken the request',
    );
    // Two kinds, since two of one kind that wait together are one.
    server.process.kill('SIGINT');
    server.process.kill('SIGTERM');
    await until(async () => (await server.rest.get('/health/ready')).status === 503, 'the server drains');
    request.end('}');
    assert.equal(await answer, 422);
    assert.equal(await new Promise((resolve) => server.process.on('exit', resolve)), 0);
  });

  it('dies at once on a second signal', async () => {
    await using server = await startServer();
    const { answer } = await openRequest(server.address);
    answer.catch(() => {});
    await until(
      async () => Object((await server.rest.get('/v1/debug/connections')).json).active_requests >= 2,
      'the server has taken the request',
    );
    server.process.kill('SIGTERM');
    await until(async () => (await server.rest.get('/health/ready')).status === 503, 'the server drains');
    assert.equal(await server.stop('SIGTERM'), 143);
  });

  it('comes back after kill -9 with what it had', async () => {
    const home = newHome();
    const env = {
      SVC_DEPLOYMENT_MODE: 'service',
      SVC_AUTH_MODE: 'api_key',
      SVC_ARTIFACT_DIR: path.join(home, 'store'),
    };
    const first = await startServer({ home, env });
    const { stdout } = await runSvc(['apikey', 'create', 'ann'], { home, env });
    assert.equal(await first.stop('SIGKILL'), 'SIGKILL');
    await using second = await startServer({ home, env });
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    assert.equal((await second.rest.get('/v1/config/timeouts', { headers })).status, 200);
  });
});

describe('npm start', () => {
  it('serves with settings from the environment and ends cleanly when npm is told to', async () => {
    const home = newHome();
    const probe = net.createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as net.AddressInfo;
    probe.close();
    await once(probe, 'close');
    const npm = spawn('npm', ['start', '--silent'], {
      env: cleanEnvironment(home, { SVC_PORT: String(port) }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    await new Promise<void>((resolve, reject) => {
      npm.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('svc serves on')) resolve();
      });
      npm.on('exit', (code) => reject(new Error(`npm start ended with ${code}`)));
    });
    assert.equal(text, `svc serves on http://127.0.0.1:${port} · notebooks in ${home}/.svc/notebooks\n`);
    assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
    const exited = once(npm, 'exit');
    npm.kill('SIGTERM');
    await exited;
    // The server itself is gone, not only npm: its port can be bound again.
    const again = net.createServer();
    await until(() => {
      again.listen(port, '127.0.0.1');
      return Promise.race([once(again, 'listening').then(() => true), once(again, 'error').then(() => false)]);
    }, `port ${port} is free`);
    again.close();
    fs.rmSync(home, { recursive: true, force: true });
  });
});
