// Notebooks at the edges of what they are made for: other languages, cycles, jobs and keys that end in between.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied, startWithKeys } from './kit/service.ts';
import { openSocket } from './kit/socket.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

describe('cells that are not Python', () => {
  it('are never run as Python: text is left out, and what cannot run says so', async () => {
    const notebook = await createTestNotebook(server, 'Languages');
    const add = async (language: string, source: string): Promise<string> => {
      const { id } = Object((await notebook.request('POST', '/cells', { language })).json);
      await notebook.edit(id, source);
      return id;
    };
    const text = await add('markdown', '# A title');
    const query = await add('sql', 'select 1');
    assert.match((await notebook.run(query)).error ?? '', /names no connection/);
    const { status, cache_hit, execution_method } = await notebook.run(text);
    assert.deepEqual(
      { status, cache_hit, execution_method },
      { status: 'ready', cache_hit: true, execution_method: 'cached' },
    );
    // What is still on its way from the runs above comes before the answer to this.
    const quiet = notebook.framesUntil(({ type }) => type === 'notebook_state');
    notebook.socket.send('notebook_sync');
    await quiet;
    const told = notebook.framesUntil(({ type, payload }) => type === 'cell_error' && payload.cell_id === query);
    notebook.socket.send('notebook_run_all');
    const frames = await told;
    assert.ok(!frames.some(({ payload }) => payload.cell_id === text));
    assert.equal((await notebook.cell(text)).status, 'ready');
  });
});

describe('a cycle', () => {
  it('leaves every cell idle, and all is as before when it is gone', async () => {
    const notebook = await createTestNotebook(server, 'Cycle');
    const first = await notebook.add('p = 1');
    const second = await notebook.add('q = p');
    await notebook.run(second);
    await notebook.edit(first, `# @after ${second}\np = 1`);
    assert.equal(await notebook.statuses(), 'idle idle');
    await notebook.edit(first, 'p = 1');
    assert.equal(await notebook.statuses(), 'ready ready');
  });
});

describe('variants over a socket', () => {
  it('are chosen and added, and every cell is told of', async () => {
    const notebook = await createTestNotebook(server, 'Variants');
    await notebook.add('# @variant m a\nv = 1');
    const other = await notebook.add('# @variant m b\nv = 2');
    const read = await notebook.add('v * 10');
    assert.equal((await notebook.run(read)).display?.preview, 10);
    const chosen = notebook.framesUntil(({ type, payload }) => type === 'cell_status' && payload.cell_id === read);
    notebook.socket.send('variant_set_active', { group: 'm', name: 'b' });
    assert.deepEqual(
      (await chosen).map(({ type }) => type),
      ['dag_update', 'cell_status', 'cell_status', 'cell_status'],
    );
    assert.equal(await notebook.statuses(), 'idle idle stale');
    assert.equal((await notebook.run(read)).display?.preview, 20);
    assert.equal((await notebook.cell(other)).status, 'ready');
    const added = notebook.framesUntil(({ type }) => type === 'notebook_state');
    notebook.socket.send('variant_add', { group: 'm' });
    await added;
    assert.equal((await notebook.state()).variant_groups[0]?.active_name, 'b_copy');
  });
});

describe('a frame whose type is an object', () => {
  it('is answered like any other unknown type', async () => {
    const notebook = await createTestNotebook(server, 'Odd Frames');
    const told = notebook.framesUntil(({ type }) => type === 'error');
    notebook.socket.sendText('{"type": {"toString": 1, "valueOf": 1}}');
    assert.match(String((await told).at(-1)?.payload.error), /^Unknown message type/);
  });
});

describe('an environment job', () => {
  it('keeps its notebook from being deleted by path', async () => {
    const created = await server.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Busy' } });
    const { path: place, session_id } = Object(created.json);
    const socket = await openSocket(server.address, `/v1/notebooks/ws/${session_id}`);
    const refused = await server.rest.post('/v1/notebooks/delete-by-path', { json: { path: place } });
    assert.deepEqual([refused.status, Object(refused.json).detail?.code], [409, 'ENVIRONMENT_BUSY']);
    await socket.frame(({ type }) => type === 'environment_job_finished');
    assert.equal((await server.rest.post('/v1/notebooks/delete-by-path', { json: { path: place } })).status, 200);
    assert.ok(!fs.existsSync(place));
  });

  it('is told to its end although the notebook is held still', async () => {
    const created = await server.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Held' } });
    const { session_id } = Object(created.json);
    const socket = await openSocket(server.address, `/v1/notebooks/ws/${session_id}`);
    const held = await server.rest.post(`/v1/notebooks/${session_id}/quiesce`, {
      json: { timeout_seconds: 1, max_hold_seconds: 30 },
    });
    assert.equal(held.status, 200, held.text);
    await socket.frame(({ type }) => type === 'environment_job_finished');
  });
});

describe('a key that ends while its socket is open', () => {
  it('ends the socket, even of one who only listens', async () => {
    await using keyed = await startWithKeys();
    const key = await keyed.createKey('ann', '--scope', 'notebook:read', '--scope', 'notebook:write');
    const headers = { authorization: `Bearer ${key}` };
    const created = await keyed.rest.post('/v1/notebooks/create', {
      headers,
      json: { parent_path: '.', name: path.basename(keyed.home) },
    });
    const { session_id } = Object(created.json);
    const socket = await openSocket(keyed.address, `/v1/notebooks/ws/${session_id}`, headers);
    await keyed.svc('apikey', 'revoke', key.split('_')[1] ?? '');
    assert.equal(await socket.closed, 1008);
  });
});

describe('one notebook in the sessions of two people', () => {
  it('shows each of them what the other does to it', async () => {
    await using shared = await startProxied();
    const as = (principal: string) =>
      asserted({ principal, scopes: 'notebook:read notebook:write notebook:execute', tenant: 'team' });
    const created = await shared.rest.post('/v1/notebooks/create', {
      headers: as('ann'),
      json: { parent_path: '.', name: 'Ours', starter_cell: true },
    });
    const { session_id: hers, path: place, cells } = Object(created.json);
    const opened = await shared.rest.post('/v1/notebooks/open', { headers: as('bob'), json: { path: place } });
    assert.equal(opened.status, 200, opened.text);
    const { session_id: his } = Object(opened.json);
    assert.notEqual(hers, his);
    const socket = await openSocket(shared.address, `/v1/notebooks/ws/${his}`, as('bob'));
    const cell = cells[0].id;
    await shared.rest.send('PUT', `/v1/notebooks/${hers}/cells/${cell}`, {
      headers: as('ann'),
      json: { source: 'seen_by_both = 1' },
    });
    await socket.frame(
      ({ type, payload }) => type === 'notebook_state' && JSON.stringify(payload).includes('seen_by_both = 1'),
    );
    const read = await shared.rest.get(`/v1/notebooks/${his}/cells`, { headers: as('bob') });
    assert.equal(Object(read.json).cells[0].source, 'seen_by_both = 1');
  });
});

describe('a notebook that was deleted from outside', () => {
  it('is closed for whoever has it open, and not brought back by an edit or a run', async () => {
    const notebook = await createTestNotebook(server, 'Deleted Outside');
    const cell = await notebook.add('x = 1');
    const told = notebook.framesUntil(({ type }) => type === 'session_closed');
    fs.rmSync(notebook.path, { recursive: true, force: true });
    assert.equal((await notebook.edit(cell, 'x = 2')).status, 404);
    assert.equal((await notebook.request('POST', `/cells/${cell}/execute`)).status, 404);
    assert.equal(Object((await told).at(-1)?.payload).reason, 'deleted');
    assert.equal(fs.existsSync(notebook.path), false);
  });
});

describe('a notebook whose folder cannot be looked at', () => {
  it('takes no edit, and takes nobody down', async () => {
    const notebook = await createTestNotebook(server, 'Unseen');
    const cell = await notebook.add('x = 1');
    const aside = `${notebook.path}-aside`;
    fs.renameSync(notebook.path, aside);
    fs.symlinkSync(notebook.path, notebook.path); // a link to itself
    assert.equal((await notebook.edit(cell, 'x = 2')).status, 404);
    assert.equal((await server.rest.get('/health')).status, 200);
    fs.rmSync(notebook.path);
    fs.renameSync(aside, notebook.path);
  });
});

describe('stored bytes that are gone', () => {
  it('are not served: the reader is told, and the maker runs again', async () => {
    const notebook = await createTestNotebook(server, 'Swept');
    const maker = await notebook.add('big = [1, 2, 3]');
    const reader = await notebook.add('sum(big)');
    await notebook.run(reader);
    const blobs = path.join(notebook.path, '.svc/artifacts/blobs');
    for (const name of fs.readdirSync(blobs)) fs.rmSync(path.join(blobs, name));
    assert.match(
      (await notebook.run(reader, 'rerun')).error ?? '',
      /The stored bytes of big are gone; run the cells that make them again/,
    );
    assert.deepEqual(
      [(await notebook.run(maker)).cache_hit, (await notebook.run(reader)).display?.preview],
      [false, 6],
    );
  });
});

describe('earlier results', () => {
  it('are kept as many as the settings say, and their bytes with them', async () => {
    await using sparing = await startServer({ env: { SVC_NOTEBOOK_KEEP_SUPERSEDED_VERSIONS: '1' } });
    const notebook = await createTestNotebook(sparing, 'Sparing');
    const cell = await notebook.add('x = 0');
    const reader = await notebook.add('x');
    for (const value of [1, 2, 3, 4]) {
      await notebook.edit(cell, `x = ${value}`);
      await notebook.run(reader);
    }
    await notebook.request('POST', '/close');
    const reopened = await openTestNotebook(sparing, notebook.path);
    assert.equal(await reopened.statuses(), 'ready ready');
    const versions = fs
      .readdirSync(path.join(notebook.path, '.svc/artifacts/blobs'))
      .filter((name) => name.includes('_var_x@'));
    assert.equal(versions.length, 2);
    await reopened.edit(cell, 'x = 3');
    assert.deepEqual([(await reopened.run(cell)).cache_hit, (await reopened.run(reader)).cache_hit], [true, true]);
    await reopened.edit(cell, 'x = 1');
    assert.equal((await reopened.run(cell)).cache_hit, false);
  });
});

describe('secrets that somebody wrote into the file', () => {
  it('are in no state, no frame and no listing; references to secrets are shown', async () => {
    const notebook = await createTestNotebook(server, 'Written Secrets');
    const cell = await notebook.add('x = 1');
    await notebook.request('POST', '/close');
    const file = path.join(notebook.path, 'notebook.toml');
    const written = fs.readFileSync(file, 'utf8').replace(/^(workers|mounts) = \[\]\n/gm, '');
    fs.writeFileSync(
      file,
      `${written}
[[workers]]
name = "gpu"
backend = "executor"
config = { url = "http://127.0.0.1:9", token = "hunter2-worker", token_env = "GPU_TOKEN" }

[[mounts]]
name = "raw"
uri = "s3://bucket/raw"
options = { anon = false, secret_key = "hunter2-mount" }

[connections.wh]
driver = "postgresql"
uri = "postgresql://ann:hunter2-uri@db/x"
auth = { pw = "hunter2-auth", password = "\${PW}" }

[connections.bad]
password = "hunter2-malformed"

[catalogs.lake]
uri = "https://lake"
secret = "hunter2-catalog"
`,
    );
    const reopened = await openTestNotebook(server, notebook.path);
    reopened.socket.send('notebook_sync');
    const frame = await reopened.socket.frame(({ type }) => type === 'notebook_state');
    const listing = await reopened.request('GET', '/cells');
    assert.deepEqual(
      [...`${JSON.stringify([await reopened.state(), frame])}${listing.text}`.matchAll(/hunter2-\w+/g)].map(String),
      [],
    );
    const { workers, connections } = Object(await reopened.state());
    assert.equal(workers[0].config.token_env, 'GPU_TOKEN');
    assert.deepEqual(connections[0].auth, { pw: '', password: `\${PW}` });
    assert.equal((await reopened.cell(cell)).source, 'x = 1');
  });
});

describe('a cell that puts pipes where its results were', () => {
  it('fails alone', async () => {
    const notebook = await createTestNotebook(server, 'Pipes For Results');
    await notebook.add(`import os, sys
class Late:
    def __reduce__(self):
        frame = sys._getframe()
        while not isinstance(frame.f_locals.get("folder"), str):
            frame = frame.f_back
        place = os.path.join(frame.f_locals["folder"], "a.json")
        os.unlink(place)
        os.mkfifo(place)
        return (int, ())
a = [1]
z = [Late()]`);
    const reader = await notebook.add('a, z');
    assert.match((await notebook.run(reader)).error ?? '', /a\.json is not the plain file that was written/);
    assert.equal((await notebook.run(await notebook.add('1 + 1'))).display?.preview, 2);
  });
});

describe('pipes among the files of a notebook', () => {
  it('hold nobody up: they are no sources, and no notebooks', async () => {
    const notebook = await createTestNotebook(server, 'Piped');
    const [plain, piped] = [await notebook.add('x = 1'), await notebook.add('y = 2')];
    const source = path.join(notebook.path, 'cells', `${piped}.py`);
    fs.rmSync(source);
    const others = Array.from({ length: 8 }, (_, index) => path.join(notebook.path, `cells/pipe${index}.py`));
    const elsewhere = path.join(path.dirname(notebook.path), 'pipe');
    fs.mkdirSync(elsewhere);
    const seen = notebook.framesUntil(
      ({ type, payload }) => type === 'notebook_state' && JSON.stringify(payload).includes('not a plain file'),
    );
    execFileSync('mkfifo', [source, ...others, path.join(elsewhere, 'notebook.toml')]);
    await seen;
    assert.deepEqual(
      (await notebook.cell(piped)).annotation_diagnostics.map(({ code, message }) => [code, message]),
      [['source_unreadable', `cells/${piped}.py cannot be read (not a plain file)`]],
    );
    assert.equal((await notebook.edit(plain, 'x = 3')).status, 200);
    assert.equal((await server.rest.get('/v1/notebooks/discover')).status, 200);
    const opened = await server.rest.post('/v1/notebooks/open', { json: { path: elsewhere } });
    assert.equal(opened.status, 400, opened.text);
  });
});

describe('a session that has worked for longer than it may be idle', () => {
  it('is not closed at the end of its run: idle time begins there', async () => {
    // Nothing else keeps it: not the moment that a cell is its editor's.
    const env = { SVC_NOTEBOOK_SESSION_TTL_SECONDS: '5', SVC_NOTEBOOK_CELL_LOCK_SECONDS: '0' };
    await using short = await startServer({ env });
    const notebook = await createTestNotebook(short, 'Long Run');
    const cell = await notebook.add('import time\ntime.sleep(6)\n7');
    assert.equal((await notebook.run(cell)).status, 'ready');
    // Before a notebook is opened, idle ones are closed.
    await short.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Other' } });
    assert.equal((await notebook.cell(cell)).status, 'ready');
  });
});

describe('a cell that is added below a variant', () => {
  it('stands below its group, whose variants stay together', async () => {
    const notebook = await createTestNotebook(server, 'Grouped');
    const first = await notebook.add('# @variant model small\nm = 1');
    const second = await notebook.add('# @variant model large\nm = 2');
    const reader = await notebook.add('m');
    const below = async (after_cell_id: string) =>
      Object((await notebook.request('POST', '/cells', { after_cell_id })).json).id;
    const added = [await below(first), await below(second), await below(reader)];
    assert.deepEqual(
      (await notebook.state()).cells.map(({ id }) => id),
      [first, second, added[1], added[0], reader, added[2]],
    );
  });
});

describe('a module that a cell imports', () => {
  it('is used, not made, by cells that set something on it; a value is made by the cell that changes it', async () => {
    const notebook = await createTestNotebook(server, 'Used');
    const sources = {
      imports: 'import decimal, os, random\nprices = {"a": 1}',
      // As `plt.rcParams['figure.dpi'] = 100` and `pd.options.display.max_rows = 5` do.
      environ: 'os.environ["PLACE"] = "here"\nprint(os.environ["PLACE"])',
      options: 'decimal.DefaultContext.prec = 5',
      seed: 'random.seed(1)',
      changes: 'prices["b"] = 2',
      reads: 'print(sorted(prices), decimal.ROUND_UP, os.sep)',
    };
    const ids: Record<string, string> = {};
    for (const [name, source] of Object.entries(sources)) ids[name] = await notebook.add(source);
    const wiring = async () =>
      Object.fromEntries(
        (await notebook.state()).cells.map(({ id, defines, mutation_defines, upstream_ids }) => {
          const nameOf = (cellId: string) => Object.keys(ids).find((name) => ids[name] === cellId);
          return [nameOf(id), [defines, mutation_defines, upstream_ids.map(nameOf)]];
        }),
      );
    const used = [[], [], ['imports']];
    assert.deepEqual(await wiring(), {
      imports: [['decimal', 'os', 'prices', 'random'], [], []],
      environ: used,
      options: used,
      seed: used,
      changes: [['prices'], ['prices'], ['imports']],
      reads: [[], [], ['imports', 'changes']],
    });
    const warnings = [];
    for (const id of Object.values(ids)) {
      const { status, error, mutation_warnings } = await notebook.run(id);
      warnings.push([status, error ?? null, mutation_warnings]);
    }
    assert.deepEqual(
      warnings,
      Object.keys(ids).map(() => ['ready', null, []]),
    );

    // It is no module any more: whoever changes it makes it, and those below read from there.
    await notebook.edit(
      ids.imports ?? '',
      'import os, random\nclass Box: prec = 1\nclass decimal: DefaultContext, ROUND_UP = Box(), 0\nprices = {"a": 1}',
    );
    const { options, reads } = await wiring();
    assert.deepEqual(
      [options, reads],
      [
        [['decimal'], ['decimal'], ['imports']],
        [[], [], ['options', 'imports', 'changes']],
      ],
    );
  });
});
