// Files that somebody brings along for their cells: they arrive whole or not at all, cells read them by their names, and no
// name leads out of the folder that cells run in.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileEntry, filesBody, notebookState } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import type { RequestOptions } from './kit/rest.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';

const maxBytes = 200_000;

describe('files of a notebook', () => {
  let server: TestServer;
  let notebook: TestNotebook;
  let work: string;

  before(async () => {
    server = await startServer({ env: { SVC_MAX_UPLOAD_BYTES: String(maxBytes) } });
    notebook = await createTestNotebook(server);
    work = path.join(notebook.path, 'work');
  });
  after(() => server[Symbol.asyncDispose]());

  const at = (place: string): string => `/v1/notebooks/${notebook.sessionId}/files${place}`;
  const ask = (method: string, place: string, options?: RequestOptions) => server.rest.send(method, at(place), options);
  const listed = async (place = '') =>
    (await server.rest.read(filesBody, at(place))).entries.map(({ path: name, kind, bytes }) => [name, kind, bytes]);
  /** Everything there, hidden or not. */
  const lying = () => fs.readdirSync(work, { recursive: true }).map(String).sort();

  it('are uploaded, listed, read by a cell, downloaded and deleted', async () => {
    assert.deepEqual(await server.rest.read(filesBody, at('')), { path: '', entries: [], total: 0 });

    const body = 'city,units\nBonn,40\nUlm,2\n';
    const uploaded = await ask('PUT', '/sales%20of%20M%C3%A4rz.csv', { body, headers: { 'content-type': 'text/csv' } });
    const entry = fileEntry.parse(uploaded.json);
    assert.deepEqual(
      [uploaded.status, { ...entry, modified_at: 0 }],
      [200, { name: 'sales of März.csv', path: 'sales of März.csv', kind: 'file', bytes: 25, modified_at: 0 }],
    );
    assert.deepEqual((await server.rest.read(filesBody, at(''))).entries, [entry]);

    const cell = await notebook.add(
      'import csv, os\nos.makedirs("out/deep", exist_ok=True)\nopen("out/b10.txt", "w").close()\nopen("out/b9.txt", "w").write("nine")\n' +
        'sum(int(row["units"]) for row in csv.DictReader(open("sales of März.csv", encoding="utf-8")))',
    );
    const ran = await notebook.run(cell);
    assert.deepEqual([ran.status, ran.error], ['ready', null]);
    assert.equal((await notebook.cell(cell)).display_outputs?.[0]?.preview, 42);
    assert.deepEqual(await listed(), [
      ['out', 'folder', null],
      ['sales of März.csv', 'file', 25],
    ]);
    assert.deepEqual(await listed('?path=out'), [
      ['out/deep', 'folder', null],
      ['out/b9.txt', 'file', 4],
      ['out/b10.txt', 'file', 0],
    ]);

    const { status, text, headers } = await ask('GET', '/sales%20of%20M%C3%A4rz.csv');
    assert.deepEqual([status, text], [200, body]);
    assert.equal(headers['content-type'], 'application/octet-stream');
    assert.equal(headers['content-length'], '25');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(
      headers['content-disposition'],
      `attachment; filename="sales_of_Mrz.csv"; filename*=UTF-8''sales%20of%20M%C3%A4rz.csv`,
    );
    assert.deepEqual([(await ask('GET', '/out/b9.txt')).text, (await ask('GET', '/out/b10.txt')).text], ['nine', '']);

    for (const place of ['sales%20of%20M%C3%A4rz.csv', 'out/b9.txt', 'out%2Fb10.txt'])
      assert.equal((await ask('DELETE', `/${place}`)).status, 200, place);
    assert.deepEqual(lying(), ['out', 'out/deep']);
    assert.deepEqual(await listed(), [['out', 'folder', null]]);
  });

  it('are replaced only on demand, and keep what they allow', async () => {
    await ask('PUT', '/once.txt', { body: 'first' });
    fs.chmodSync(path.join(work, 'once.txt'), 0o640);
    const again = await ask('PUT', '/once.txt', { body: 'second' });
    assert.deepEqual(
      [again.status, again.json],
      [
        409,
        {
          detail: {
            code: 'file_exists',
            message:
              'There is a file once.txt already; choose another name, or send it with overwrite=true to replace that one',
          },
        },
      ],
    );
    assert.equal(fs.readFileSync(path.join(work, 'once.txt'), 'utf8'), 'first');
    assert.equal((await ask('PUT', '/once.txt?overwrite=true', { body: 'third' })).status, 200);
    const { mode } = fs.statSync(path.join(work, 'once.txt'));
    assert.deepEqual([fs.readFileSync(path.join(work, 'once.txt'), 'utf8'), mode & 0o777], ['third', 0o640]);
    assert.equal((await ask('DELETE', '/once.txt')).status, 200);
  });

  it('are inputs of cells, read by name or mounted', async () => {
    const plain = await notebook.add('seen = open("rates.txt").read()\nseen');
    const mounted = await notebook.add('# @mount rates work\nfound = (rates / "rates.txt").read_text()\nfound');
    const shown = async (cellId: string) => {
      assert.equal((await notebook.run(cellId)).status, 'ready');
      return (await notebook.cell(cellId)).display_outputs?.[0]?.preview;
    };
    await ask('PUT', '/rates.txt', { body: 'old' });
    assert.deepEqual([await shown(plain), await shown(mounted)], ['old', 'old']);
    await ask('PUT', '/rates.txt?overwrite=true', { body: 'new' });
    assert.deepEqual([await shown(plain), await shown(mounted)], ['new', 'new']);
    assert.equal((await ask('DELETE', '/rates.txt')).status, 200);
  });

  it('never lead out of their folder, and nothing else is touched', async () => {
    fs.mkdirSync(path.join(work, 'folder'), { recursive: true });
    fs.symlinkSync('../../notebook.toml', path.join(work, 'folder/link'));
    fs.symlinkSync('..', path.join(work, 'up'));
    fs.writeFileSync(path.join(work, '.hidden'), 'x');
    fs.writeFileSync(path.join(work, 'plain'), 'x');
    const everything = () => [
      ...[notebook.path, work, path.join(work, 'folder')].map((folder) => fs.readdirSync(folder)),
      fs.readFileSync(path.join(notebook.path, 'notebook.toml'), 'utf8'),
    ];
    const before = everything();

    const places = [
      '..%2Fnotebook.toml',
      'folder%2F..%2F..%2Fnotebook.toml',
      '%2Fetc%2Fhostname',
      'folder/link',
      'up/notebook.toml',
      'plain/below',
      '.hidden',
      '.venv',
      'folder//x',
      'folder/',
      '',
      'folder',
      'a%00b',
      'x'.repeat(256),
      `${'x/'.repeat(1600)}y`,
    ];
    for (const place of places) {
      for (const method of ['PUT', 'GET', 'DELETE']) {
        const options = method === 'PUT' ? { body: 'bad' } : {};
        const { status } = await ask(method, `/${place}${method === 'PUT' ? '?overwrite=true' : ''}`, options);
        assert.deepEqual([method, place.slice(0, 40), status], [method, place.slice(0, 40), 400]);
      }
    }
    for (const place of ['..', 'up', 'folder/link', '.venv', 'plain', '%00'])
      assert.equal((await ask('GET', `?path=${place}`)).status, 400, place);
    assert.deepEqual(await listed('?path=folder'), []);
    assert.deepEqual(everything(), before);

    const missing = [
      ['GET', '/none.csv', {}],
      ['DELETE', '/none.csv', {}],
      ['GET', '?path=none', {}],
      ['PUT', '/none/x.csv', { body: 'x' }],
    ] as const;
    for (const [method, place, options] of missing)
      assert.equal((await ask(method, place, options)).status, 404, place);
    assert.deepEqual(everything(), before);
    fs.unlinkSync(path.join(work, 'up'));
  });

  it('have a largest size, whether it is told before or not', async () => {
    const before = lying();
    const told = await ask('PUT', '/large.bin', { body: Buffer.alloc(maxBytes + 1) });
    const untold = await ask('PUT', '/large.bin', {
      body: Buffer.alloc(maxBytes + 1),
      headers: { 'transfer-encoding': 'chunked' },
    });
    assert.deepEqual([told.status, untold.status], [413, 413]);
    assert.deepEqual(lying(), before);
    assert.equal((await ask('PUT', '/large.bin', { body: Buffer.alloc(maxBytes) })).status, 200);
    assert.equal((await ask('DELETE', '/large.bin')).status, 200);
  });

  it('leave nothing behind when the sender hangs up', async () => {
    const before = lying();
    const changed = watching(work);
    const sending = http.request(`${server.address}${at('/broken.csv')}`, {
      method: 'PUT',
      headers: { 'content-length': '1000' },
      agent: false,
    });
    sending.on('error', () => {});
    sending.write('half of it');
    await changed.until(() => lying().some((name) => name.startsWith('.upload.')));
    sending.destroy();
    await changed.until(() => !lying().some((name) => name.startsWith('.upload.')));
    changed.stop();
    assert.deepEqual(lying(), before);
    assert.equal((await ask('GET', '')).status, 200); // by now a failure would have been logged
    assert.doesNotMatch(server.output(), /"level":"(warning|error)"/);
  });

  it('stay as they are while the notebook is held still, a file that is on its way included', async () => {
    await ask('PUT', '/kept.txt', { body: 'kept' });
    const before = lying();
    const changed = watching(work);
    const answered = Promise.withResolvers<number>();
    const sending = http.request(
      `${server.address}${at('/late.csv')}`,
      { method: 'PUT', headers: { 'content-length': '20' }, agent: false },
      (answer) => answered.resolve(answer.resume().statusCode ?? 0),
    );
    sending.write('0123456789');
    await changed.until(() => lying().some((name) => name.startsWith('.upload.')));
    changed.stop();
    assert.equal((await notebook.request('POST', '/quiesce', {})).status, 200);
    sending.end('0123456789');
    assert.equal(await answered.promise, 409);
    assert.equal((await ask('PUT', '/new.txt', { body: 'new' })).status, 409);
    assert.equal((await ask('DELETE', '/kept.txt')).status, 409);
    assert.equal((await ask('GET', '/kept.txt')).text, 'kept');
    assert.deepEqual(lying(), before);
    assert.equal((await notebook.request('POST', '/release')).status, 200);
    assert.equal((await ask('DELETE', '/kept.txt')).status, 200);
  });
});

it('who may only read looks and downloads, and changes nothing', async () => {
  await using server = await startProxied();
  const writer = asserted({ principal: 'ann', scopes: 'notebook:read notebook:write' });
  const reader = asserted({ principal: 'ann', scopes: 'notebook:read' });
  const created = await server.rest.post('/v1/notebooks/create', {
    headers: writer,
    json: { parent_path: '.', name: 'Shared' },
  });
  const files = `/v1/notebooks/${notebookState.parse(created.json).session_id}/files`;
  const status = async (method: string, place: string, headers: Record<string, string>, body = ''): Promise<number> =>
    (await server.rest.send(method, `${files}${place}`, { headers, ...(method === 'PUT' ? { body } : {}) })).status;
  assert.deepEqual(
    [
      await status('PUT', '/a.txt', reader, 'x'),
      await status('PUT', '/a.txt', writer, 'x'),
      await status('GET', '', reader),
      await status('GET', '/a.txt', reader),
      await status('DELETE', '/a.txt', reader),
      await status('DELETE', '/a.txt', writer),
    ],
    [403, 200, 200, 200, 403, 200],
  );
});

/** Looks again whenever something changes in a folder. */
function watching(folder: string): { until(holds: () => boolean): Promise<void>; stop(): void } {
  const watcher = fs.watch(folder);
  return {
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds()) return;
          watcher.off('change', look);
          resolve();
        };
        watcher.on('change', look);
        look();
      }),
    stop: () => watcher.close(),
  };
}
