// Notebooks that are held still for a copy: what is copied is one moment, whatever others ask for meanwhile.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { runSvc, startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';
import { until } from './kit/until.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

/** Every file below a folder with its size and the moment it was last written. */
function everythingIn(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { size, mtimeNs } = fs.lstatSync(path.join(folder, name), { bigint: true });
      return `${name} ${size} ${mtimeNs}`;
    });
}

/** What SQLite keeps beside a database that somebody reads, which is no part of what it holds. */
const withoutReadersOf = (files: string[]): string[] =>
  files.filter((line) => !/sqlite-(shm|wal) |\/artifacts \d/.test(line));

const codeOf = ({ status, json }: { status: number; json: unknown }): unknown[] => [status, Object(json).detail?.code];
const held = [409, 'NOTEBOOK_QUIESCED'];

async function upload(route: string, file: string, content: string, fields: Record<string, string>) {
  const form = new FormData();
  form.set('file', new Blob([content]), file);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const answer = await fetch(`${server.address}/v1/notebooks/${route}`, { method: 'POST', body: form });
  return { status: answer.status, json: await answer.json() };
}

describe('a notebook that is held still', () => {
  it('keeps every file as it was: after a run, under a prompt, when it is closed, opened and asked to go', async () => {
    const notebook = await createTestNotebook(server, 'Copied');
    const cell = await notebook.add('x = 1\nx');
    const prompt = async (type: string, payload = {}) => {
      const answer = notebook.framesUntil((frame) => frame.type === 'inspect_result' || frame.type === 'error');
      notebook.socket.send(type, { cell_id: cell, ...payload });
      return (await answer).at(-1)?.payload;
    };
    assert.equal((await prompt('inspect_open'))?.ok, true);
    // Its note of the last run is written half a second later.
    assert.equal((await notebook.run(cell)).status, 'ready');
    assert.equal((await notebook.request('POST', '/quiesce', {})).status, 200);
    const before = everythingIn(notebook.path);
    assert.ok(before.some((line) => line.startsWith('.svc/last_run.json ')));

    const write = { expr: `open(${JSON.stringify(path.join(notebook.path, 'written.txt'))}, 'w').write('x')` };
    assert.equal((await prompt('inspect_eval', write))?.code, 'NOTEBOOK_QUIESCED');
    assert.equal((await prompt('inspect_open'))?.code, 'NOTEBOOK_QUIESCED');
    assert.equal((await prompt('inspect_close'))?.ok, true);
    const byPath = { json: { path: notebook.path } };
    assert.deepEqual(codeOf(await server.rest.post('/v1/notebooks/delete-by-path', byPath)), held);
    assert.equal((await notebook.request('POST', '/close')).status, 200);
    assert.deepEqual(codeOf(await server.rest.post('/v1/notebooks/delete-by-path', byPath)), held);
    assert.deepEqual(everythingIn(notebook.path), before);
    // Its note of who has it open stays where it is, too.
    const { code, stderr } = await runSvc(['run', notebook.path], { home: server.home });
    assert.equal(code, 2);
    assert.match(stderr, /the server at .* holds it still for a copy; try again when it is released/);

    const again = await openTestNotebook(server, notebook.path);
    assert.equal((await again.cell(cell)).status, 'ready');
    assert.equal((await again.request('POST', '/close')).status, 200);
    assert.deepEqual(withoutReadersOf(everythingIn(notebook.path)), withoutReadersOf(before));

    // What closing has left to do is done when the hold ends.
    const claim = path.join(notebook.path, '.svc/open.json');
    const gone = new Promise<void>((resolve) => {
      const watcher = fs.watch(path.dirname(claim), () => {
        if (fs.existsSync(claim)) return;
        watcher.close();
        resolve();
      });
    });
    await server.rest.post('/v1/projects/copied/release');
    await gone;
    assert.equal((await server.rest.post('/v1/notebooks/delete-by-path', byPath)).status, 200);
    assert.equal(fs.existsSync(notebook.path), false);
  });
});

describe('what was begun before a notebook is held still', () => {
  it('is written when the hold is answered for, and nothing after it: comments, files that go', async () => {
    const notebook = await createTestNotebook(server, 'Begun');
    const cell = await notebook.add('x = 1');
    const [comment, file] = ['comments.json', 'work'].map((name) => path.join(notebook.path, name));
    const names = Array.from({ length: 40 }, (_, at) => `file-${at}`);
    fs.mkdirSync(String(file), { recursive: true });
    for (const name of names) fs.writeFileSync(path.join(String(file), name), '');
    const asked = names.flatMap((name, at) => [
      notebook.request('POST', `/cells/${cell}/comments`, { text: `Number ${at}` }),
      notebook.request('DELETE', `/files/${name}`),
    ]);
    await until(() => fs.existsSync(String(comment)), 'the first comment is written');
    assert.equal((await notebook.request('POST', '/quiesce', {})).status, 200);
    const before = everythingIn(notebook.path);
    const answers = await Promise.all(asked);
    assert.deepEqual(everythingIn(notebook.path), before);
    assert.deepEqual(
      answers.filter((answer) => answer.status !== 200 && String(codeOf(answer)) !== String(held)),
      [],
    );
    await notebook.request('POST', '/release');
  });
});

describe('a project that is held still', () => {
  it('takes no notebook and loses none: created, imported, deleted', async () => {
    const inside = await createTestNotebook(server, 'Inside');
    await inside.request('POST', '/close');
    const project = path.join(path.dirname(inside.path), 'project');
    fs.mkdirSync(project);
    fs.renameSync(inside.path, path.join(project, 'inside'));
    assert.equal((await server.rest.post('/v1/projects/project/quiesce', { json: {} })).status, 200);
    const before = everythingIn(project);
    const at = { parent_path: 'project' };
    const script = 'x = 1\n';
    const refused = [
      await server.rest.post('/v1/notebooks/create', { json: { ...at, name: 'New' } }),
      await upload('import', 'script.py', script, { ...at, name: 'Script' }),
      await upload('import-snapshot', 'copy.snapshot.zip', script, { ...at, name: 'Copy' }),
      await server.rest.post('/v1/notebooks/delete-by-path', { json: { path: 'project/inside' } }),
    ];
    assert.deepEqual(refused.map(codeOf), [held, held, held, held]);
    assert.deepEqual(everythingIn(project), before);
    await server.rest.post('/v1/projects/project/release');
    assert.equal((await server.rest.post('/v1/notebooks/create', { json: { ...at, name: 'New' } })).status, 200);
  });
});

describe('a notebook that two people have open', () => {
  it('is named once by the hold on it', async () => {
    await using shared = await startProxied();
    const scopes = 'notebook:read notebook:write admin:notebooks';
    const as = (principal: string) => ({ headers: asserted({ principal, scopes, tenant: 'team' }) });
    const json = { parent_path: '.', name: 'Ours' };
    const { path: place, session_id } = Object(
      (await shared.rest.post('/v1/notebooks/create', { ...as('ann'), json })).json,
    );
    await shared.rest.post('/v1/notebooks/open', { ...as('bob'), json: { path: place } });
    const answer = await shared.rest.post(`/v1/notebooks/${session_id}/quiesce`, { ...as('ann'), json: {} });
    assert.deepEqual(Object(answer.json).notebooks, [place]);
  });
});
