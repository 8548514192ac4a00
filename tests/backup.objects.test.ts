// Backups in the three object stores, with real servers that speak like them: made, made again, checked, damaged, restored on an
// empty machine, and killed at the worst moment.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ObjectClient, openObjects } from '../src/objectStores/index.ts';
import { emptyHome } from './kit/emptyHome.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { bucket, startObjectStore, storeKinds } from './kit/objectStores.ts';
import { cleanEnvironment, runSvc, startServer } from './kit/server.ts';

const program = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const schemes = { s3: 's3', gcs: 'gs', azure: 'az' };

type Environment = Readonly<Record<string, string>>;

async function svc(home: string, env: Environment, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runSvc([...args, '--format', 'json'], { home, env });
  assert.equal(code, 0, `${stdout}${stderr}`);
  return JSON.parse(stdout);
}

/** As any other program would look into the store. */
function clientOf(kind: (typeof storeKinds)[number], { settings }: { settings: Environment }): Promise<ObjectClient> {
  if (kind === 's3') {
    const keys = { accessKeyId: 'tests', secretAccessKey: 'tests' };
    return openObjects({ kind, bucket, access: { region: 'us-east-1', endpoint: settings.SVC_S3_ENDPOINT_URL, keys } });
  }
  if (kind === 'gcs')
    return openObjects({ kind, bucket, access: { endpoint: settings.SVC_GCS_ENDPOINT_OVERRIDE, isAnonymous: true } });
  return openObjects({ kind, bucket, access: { connectionString: settings.SVC_AZURE_CONNECTION_STRING } });
}

const namesBelow = async (client: ObjectClient, prefix: string): Promise<string[]> =>
  (await Array.fromAsync(client.list(prefix))).flat().map(({ name }) => name);

const filesIn = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

const home = emptyHome();

before(async () => {
  await using server = await startServer({ home });
  const base = { transform: { executor: 'base@v1' }, data: { a: [1, 2, 3] }, name: 'base' };
  assert.equal((await server.rest.send('PUT', '/v1/artifacts', { json: base })).status, 200);
  const notebook = await createTestNotebook(server, 'Sales');
  await notebook.add('large = bytes(range(256)) * 1000');
  const last = await notebook.add('len(large)');
  assert.equal((await notebook.run(last)).status, 'ready');
  fs.writeFileSync(path.join(notebook.path, 'empty.txt'), '');
});

for (const kind of storeKinds) {
  describe(`svc backup to ${schemes[kind]}://`, () => {
    const target = `${schemes[kind]}://${bucket}/of/${kind}`;

    it('copies what is new, finds damage, and is restored on an empty machine', async (t) => {
      await using store = await startObjectStore(t, kind);
      if (!store) return;
      const env = store.settings;
      const first = await svc(home, env, 'backup', `${target}/`);
      assert.deepEqual(
        { notebooks: first.notebooks, stored: first.stored, warnings: first.warnings },
        { notebooks: 1, stored: 1, warnings: [] },
      );
      const again = await svc(home, env, 'backup', target);
      assert.equal(again.bytes_written, 0);
      const verified = await svc(home, env, 'backup', '--verify', target);
      assert.deepEqual([verified.backups, verified.damages], [[first.backup, again.backup], []]);

      const elsewhere = emptyHome();
      const restored = await svc(elsewhere, env, 'restore', target);
      assert.equal(restored.backup, again.backup);
      const ran = await runSvc(['run', path.join(elsewhere, '.svc/notebooks/sales')], { home: elsewhere });
      assert.match(ran.stdout, /0 ran, 2 cached/, ran.stdout + ran.stderr);
      assert.deepEqual(
        await svc(elsewhere, {}, 'artifact', 'show', 'base'),
        await svc(home, {}, 'artifact', 'show', 'base'),
      );

      const client = await clientOf(kind, store);
      const manifest = await readText(client, `of/${kind}/backups/${again.backup}`);
      const { sha256, bytes, name } = JSON.parse(manifest).store.blobs[0];
      const other = path.join(emptyHome(), 'other');
      fs.writeFileSync(other, Buffer.alloc(bytes));
      await client.upload(`of/${kind}/objects/${sha256.slice(0, 2)}/${sha256}`, other, AbortSignal.timeout(10_000));
      client.close();
      const checked = await runSvc(['backup', '--verify', target, '--format', 'json'], { home, env });
      assert.equal(checked.code, 1);
      assert.deepEqual(
        JSON.parse(checked.stdout).damages.map(({ backup, what }: Environment) => [backup, what]),
        [first, again].map(({ backup }) => [backup, `the store: blobs/${name}`]),
      );
      const lost = emptyHome();
      const refused = await runSvc(['restore', target], { home: lost, env });
      assert.deepEqual([refused.code, /is damaged; svc backup --verify/.test(refused.stderr)], [1, true]);
      assert.deepEqual(filesIn(lost), []);
    });
  });
}

describe('svc backup to an object store', () => {
  it('is none when it was killed before its manifest, and the next one takes up all that was copied', async (t) => {
    await using store = await startObjectStore(t, 's3');
    if (!store) return;
    await using gate = await startGate(String(store.settings.SVC_S3_ENDPOINT_URL), '/backups/');
    const target = `s3://${bucket}/killed`;
    const through = { ...store.settings, SVC_S3_ENDPOINT_URL: gate.address };
    const child = spawn(process.execPath, [program, 'backup', target], {
      cwd: home,
      env: cleanEnvironment(home, through),
    });
    const exited = once(child, 'exit');
    await gate.reached;
    child.kill('SIGKILL');
    assert.deepEqual(await exited, [null, 'SIGKILL']);

    const client = await clientOf('s3', store);
    assert.deepEqual(await namesBelow(client, 'killed/backups/'), []);
    const copied = await namesBelow(client, 'killed/objects/');
    assert.ok(copied.length > 0);
    const nothing = await runSvc(['restore', target], { home: emptyHome(), env: store.settings });
    assert.deepEqual([nothing.code, nothing.stderr], [2, `error: There is no whole backup in ${target}.\n`]);

    const { bytes_written } = await svc(home, store.settings, 'backup', target);
    assert.equal(bytes_written, 0);
    assert.deepEqual(await namesBelow(client, 'killed/objects/'), copied);
    assert.deepEqual((await svc(home, store.settings, 'backup', '--verify', target)).damages, []);
    client.close();
  });

  it('refuses a prefix that holds anything else, that is copied, or that cannot be reached', async (t) => {
    await using store = await startObjectStore(t, 's3');
    if (!store) return;
    const client = await clientOf('s3', store);
    const file = path.join(emptyHome(), 'notes.txt');
    fs.writeFileSync(file, 'mine');
    await client.upload('foreign/notes.txt', file, AbortSignal.timeout(10_000));
    client.close();
    const refusal = async (target: string, env: Environment = store.settings): Promise<string> => {
      const { code, stderr } = await runSvc(['backup', target], { home, env });
      assert.equal(code, 2, stderr);
      return stderr;
    };
    assert.equal(
      await refusal(`s3://${bucket}/foreign`),
      `error: s3://${bucket}/foreign holds notes.txt, which is of no backup; choose an empty prefix.\n`,
    );
    const inBucket = { ...store.settings, SVC_ARTIFACT_BLOB_BACKEND: 's3', SVC_ARTIFACT_S3_BUCKET: bucket };
    assert.equal(
      await refusal(`s3://${bucket}/artifacts/backup`, inBucket),
      `error: s3://${bucket}/artifacts/backup lies in s3://${bucket}/artifacts, which is to be copied; choose a place elsewhere.\n`,
    );
    assert.match(
      await refusal('s3://no-such-bucket/b'),
      /^error: s3:\/\/no-such-bucket\/b cannot be used \(NoSuchBucket/,
    );
    assert.match(await refusal('az://container/b', {}), /SVC_AZURE_CONNECTION_STRING or SVC_AZURE_ACCOUNT_NAME/);
    assert.equal(
      await refusal('ftp://host/b'),
      'error: ftp://host/b names no place for backups; give a folder, or s3://, gs:// or az://.\n',
    );
    await store.stop();
    assert.match(await refusal(`s3://${bucket}/b`), /cannot be used \(.*check that the bucket is there/s);
  });
});

async function readText(client: ObjectClient, name: string): Promise<string> {
  return Buffer.concat(await Array.fromAsync(await client.read(name))).toString();
}

/** Hands requests on to a server, but leaves those without an answer that would write below a path. */
async function startGate(
  address: string,
  held: string,
): Promise<{ address: string; reached: Promise<void> } & AsyncDisposable> {
  const reached = Promise.withResolvers<void>();
  const server = http.createServer((request, response) => {
    if (request.method === 'PUT' && request.url?.includes(held)) return reached.resolve();
    const { method, headers, url } = request;
    const onward = http.request(new URL(url ?? '/', address), { method, headers: { ...headers } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = server.address();
  return {
    address: `http://127.0.0.1:${typeof at === 'object' ? at?.port : ''}`,
    reached: reached.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
