// Cells that run as a user of their own: what they write is theirs, what the server keeps is closed to them, in every language.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { openRemoteStore } from '../src/mounts/remoteStore.ts';
import { placeIn } from '../src/mounts/storageOptions.ts';
import { type ExecuteBody, executeBody, questionBody, serverFrames } from '../src/protocol/index.ts';
import { descendantsOf } from './faults/tree.ts';
import { mountKinds, putObject, textOf } from './kit/mounts.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { displayEnvironment } from './kit/notebookEnvironment.ts';
import { bucket, startObjectStore } from './kit/objectStores.ts';
import { startForOther, withoutOther } from './kit/otherUser.ts';
import { findProgram } from './kit/parts.ts';
import type { TestServer } from './kit/server.ts';
import { addSql, setConnections, shown } from './kit/sql.ts';
import { untilGiven } from './kit/until.ts';

const withR =
  withoutOther === false && findProgram('Rscript') !== undefined
    ? false
    : 'Needs root, and an R that others can reach.';

/** A copy of packages that everybody may read. */
function lentTo({ home }: TestServer, interpreter: string): string {
  const [packages = ''] = fs.globSync(path.join(path.dirname(interpreter), '../lib/python3*/site-packages'));
  const folder = path.join(home, 'packages');
  fs.cpSync(packages, folder, { recursive: true, dereference: true, filter: isPlainPython });
  return folder;
}

const widgetPackages =
  'asttokens comm decorator executing ipywidgets IPython jedi jupyterlab_widgets matplotlib_inline parso pexpect prompt_toolkit ptyprocess pure_eval pygments stack_data traitlets typing_extensions.py wcwidth widgetsnbextension';

const isPlainPython = (place: string): boolean => {
  const [, name] = /site-packages\/([^/]+)/.exec(place) ?? [];
  return name === undefined || widgetPackages.split(' ').includes(name);
};

describe('a cell of another user', { skip: withoutOther }, () => {
  let server: TestServer;
  let notebook: TestNotebook;

  before(async () => {
    server = await startForOther({ LANG: 'C.UTF-8', PLACE: 'lab' });
    notebook = await createTestNotebook(server, 'Closed');
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function added(language: string, source: string): Promise<string> {
    const { id } = Object((await notebook.request('POST', '/cells', { language })).json);
    await notebook.edit(id, source);
    return id;
  }

  it('reads nothing that the server keeps: keys, results of others, its own notebook’s records', async () => {
    await notebook.run(await notebook.add('stored = list(range(9))'));
    await notebook.run(await notebook.add('len(stored)'));
    const files = fs
      .readdirSync(server.home, { recursive: true, encoding: 'utf8' })
      .filter((name) => /artifacts\.sqlite|^\.svc\/(artifacts|cache)\//.test(name));
    assert.equal(files.filter((name) => name.endsWith('artifacts.sqlite')).length, 2);
    const places = files.map((name) => path.join(server.home, name));
    const listed = ['artifacts', 'cache', 'notebooks/closed/.svc/artifacts/blobs'].map((name) =>
      path.join(server.home, '.svc', name),
    );
    const { stdout } = await notebook.run(
      await notebook.add(`import os
places, listed = ${JSON.stringify(places)}, ${JSON.stringify(listed)}
blobs = listed[-1]
print([place for place in places if os.access(place, os.R_OK) and not place.startswith(blobs)])
print([place for place in listed if os.access(place, os.R_OK)])`),
    );
    assert.equal(stdout, '[]\n[]\n');
  });

  it('reads no record of a notebook, though it knows its name', async () => {
    const other = await createTestNotebook(server, 'Other');
    await other.run(await other.add('1'));
    const folders = [notebook, other].map(({ path: folder }) => path.join(folder, '.svc'));
    const records = folders.flatMap((folder) =>
      fs
        .readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(folder, entry.name)),
    );
    assert.ok(records.length > 4, String(records));
    const { stdout } = await notebook.run(
      await notebook.add(
        `import os\nprint([place for place in ${JSON.stringify(records)} if os.access(place, os.R_OK)])`,
      ),
    );
    assert.equal(stdout, '[]\n');
  });

  it('sees the variables of the server beside its own home', { skip: withR }, async () => {
    const named = ['PATH', 'LANG', 'PLACE', 'PYTHONHASHSEED', 'SVC_PORT'];
    const inPython = await notebook.run(
      await notebook.add(`import os\nprint(*[os.environ.get(name) for name in ${JSON.stringify(named)}])`),
    );
    assert.equal(inPython.stdout, '/usr/bin:/bin C.UTF-8 lab 0 None\n');
    const inR = await notebook.run(
      await added('r', 'cat(Sys.getenv("PATH"), Sys.getenv("LANG"), Sys.getenv("PLACE"), Sys.getenv("SVC_PORT"))'),
    );
    assert.match(inR.stdout, /^\/usr\/bin:\/bin\S* C\.UTF-8 lab $/);
  });

  it('changes no value that was stored', async () => {
    const maker = await notebook.add('kept_value = 41');
    const reader = await notebook.add('kept_value + 1');
    await notebook.run(reader);
    const blobs = path.join(notebook.path, '.svc/artifacts/blobs');
    const blob = fs.readdirSync(blobs).find((name) => name.includes(`_cell_${maker}_var_kept_value`)) ?? '';
    const { error } = await notebook.run(
      await notebook.add(`open(${JSON.stringify(path.join(blobs, blob))}, "r+").write("1")`),
    );
    assert.match(error ?? '', /PermissionError/);
    assert.equal((await notebook.run(reader, 'force')).display?.preview, 42);
  });

  it('writes to its folder, to what was uploaded there, to output folders, to mounts for writing and at home', async () => {
    await notebook.run(await notebook.add('open("first.txt", "w").write("1")'));
    await server.rest.send('PUT', `/v1/notebooks/${notebook.sessionId}/files/units.csv`, { body: '40,2' });
    const mounted = path.join(notebook.path, 'exchange', 'deep');
    const { error, stdout } = await notebook.run(
      await notebook.add(`# @output_dir made
# @mount far file://${mounted} rw
import os
for place in ("units.csv", f"{made}/a.txt", f"{far}/b.txt", os.path.expanduser("~/c.txt")):
    open(place, "a").write("more")
print(open("units.csv").read(), os.getuid())`),
    );
    assert.deepEqual([error, stdout], [null, '40,2more 65534\n']);
    assert.equal(fs.readFileSync(path.join(mounted, 'b.txt'), 'utf8'), 'more');
  });

  it('reads a mount of a store that it cannot change, and writes to one that is for writing', async (t) => {
    const objects = await startObjectStore(t, 's3');
    if (!objects) return;
    await using _ = objects;
    const fields = mountKinds.s3.options(objects.env);
    const place = placeIn(`s3://${bucket}/data`);
    assert.ok(place);
    const store = await openRemoteStore(place, fields, { connectSeconds: 10, requestSeconds: 30 });
    await putObject(store, 'data/a.txt', 'one');
    await using mounting = await startForOther({ SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ bucket: fields }) });
    const mounted = await createTestNotebook(mounting, 'Mounted');
    const header = `# @mount raw s3://${bucket}/data`;
    const changing = await mounted.run(
      await mounted.add(`${header} credential=bucket\nimport os\nprint((raw / "a.txt").read_text())
for change in (lambda: (raw / "a.txt").chmod(0o666), lambda: (raw / "a.txt").write_text("x"), lambda: (raw / "b").touch(), lambda: os.listdir(raw.parent.parent)):
    try:
        change()
    except PermissionError as problem:
        print(type(problem).__name__)`),
    );
    assert.deepEqual([changing.error, changing.stdout], [null, `one\n${'PermissionError\n'.repeat(4)}`]);
    const writing = await mounted.run(
      await mounted.add(
        `${header} rw credential=bucket\nwrote = (raw / "a.txt").write_text("two")\n(raw / "etc").symlink_to("/etc")`,
      ),
    );
    assert.deepEqual([writing.error, await textOf(store, 'data/a.txt')], [null, 'two']);
    assert.deepEqual(
      (await store.list('data', AbortSignal.timeout(60_000))).map(({ name }) => name),
      ['data/a.txt'],
    );
  });

  it('runs as that user in R too, with a home, and reads no more there', { skip: withR }, async () => {
    const cell = await added(
      'r',
      `told <- c(Sys.info()[["effective_user"]], Sys.getenv("USER"), as.character(file.create("~/mine", "of_r.txt")))
told <- c(told, as.character(file.access("${path.join(server.home, '.svc/artifacts')}", 4)))`,
    );
    const reader = await notebook.add('told');
    assert.deepEqual((await notebook.run(reader)).display?.preview, ['nobody', 'nobody', 'TRUE', 'TRUE', '-1']);
    assert.equal((await notebook.cell(cell)).execution_method, 'warm');
  });

  it('runs as that user in JavaScript too, with a home, and reads no more there', async () => {
    const cell = await added(
      'javascript',
      `import fs from 'node:fs';\nimport os from 'node:os';
fs.writeFileSync(os.homedir() + '/mine_too', '');\nfs.writeFileSync('of_javascript.txt', '');
let kept = 'read';\ntry { fs.readdirSync('${path.join(server.home, '.svc/artifacts')}') } catch ({ code }) { kept = code }
const toldToo = [os.userInfo().username, process.env.USER, kept]`,
    );
    const reader = await notebook.add('toldToo');
    assert.deepEqual((await notebook.run(reader)).display?.preview, ['nobody', 'nobody', 'EACCES']);
    assert.equal((await notebook.cell(cell)).status, 'ready');
  });

  it('has no profile of its making run by the server', { skip: withR }, async () => {
    const [planted, trace] = ['.Rprofile', 'ran-as'].map((name) => path.join(server.home, 'tmp', name));
    const line = `cat(Sys.info()[["effective_user"]], file = "${trace}")`;
    await notebook.run(await notebook.add(`open("${planted}", "w").write('${line}\\n')`));
    await notebook.run(await added('r', 'analysed <- 1 + 1'));
    assert.deepEqual(
      [planted, trace].map((file) => fs.existsSync(file ?? '')),
      [true, false],
    );
  });

  it('finds installing packages of R refused, with the reason', { skip: withR }, async () => {
    const { status, text } = await notebook.request('POST', '/environment/jobs', { action: 'r_init' });
    assert.equal(status, 400);
    assert.match(text, /cells run as another user \(SVC_NOTEBOOK_HARNESS_USER\)/);
  });

  it('is that user while it asks, and while one looks into it or types', async () => {
    const id = 'import os\nos.getuid()';
    const looked = await notebook.add(`mine = 1\n${id}`);
    await notebook.run(looked);
    const opened = notebook.framesUntil(({ type }) => type === 'inspect_result');
    notebook.socket.send('inspect_open', { cell_id: looked });
    assert.equal((await opened).at(-1)?.payload.ok, true);
    const completion = { source: '"".isasc', offset: 8 };
    assert.equal((await notebook.request('POST', `/cells/${looked}/complete`, completion)).status, 200);
    const asking = await notebook.add(`input("How many? ")\n${id}`);
    const run = notebook.request('POST', `/cells/${asking}/execute?answers=true`);
    const question = await untilGiven(async () => {
      const { json } = await notebook.request('GET', `/cells/${asking}/question?wait_seconds=10`);
      return questionBody.parse(json).question ?? undefined;
    }, 'the cell asks');
    // Now all of them live: whatever was started for the notebook is the other user's.
    const owners = descendantsOf(server.process.pid ?? 0)
      .filter(({ command }) => /svc_runtime/.test(command))
      .map(({ pid }) =>
        /^Uid:\t(\d+)\t(\d+)/m
          .exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
          ?.slice(1)
          .join(),
      );
    assert.ok(owners.length > 2, String(owners));
    assert.deepEqual(new Set(owners), new Set(['65534,65534']));
    await notebook.request('POST', `/cells/${asking}/answer`, { question_id: question.question_id, text: '1' });
    assert.equal(executeBody.parse((await run).json).display?.preview, 65534);
    notebook.socket.send('inspect_close', { cell_id: looked });
  });

  it('is that user at a breakpoint, in a failure that is looked into and in its tests', async () => {
    const stopping = await notebook.add('import os\nbreakpoint()\nraise ValueError(os.getuid())');
    const run = notebook.request('POST', `/cells/${stopping}/execute?answers=true`);
    const question = () =>
      untilGiven(async () => {
        const { json } = await notebook.request('GET', `/cells/${stopping}/question?wait_seconds=10`);
        return questionBody.parse(json).question ?? undefined;
      }, 'the cell stops');
    const answer = async (text: string) => {
      const { question_id } = await question();
      return notebook.request('POST', `/cells/${stopping}/answer`, { question_id, text });
    };
    await answer('open(os.path.expanduser("~/stopped"), "w").write(str(os.getuid()))');
    await answer('c');
    assert.match(executeBody.parse((await run).json).error ?? '', /65534/);
    const stopped = path.join(notebook.path, '.svc/home/stopped');
    assert.deepEqual([fs.readFileSync(stopped, 'utf8'), fs.statSync(stopped).uid], ['65534', 65534]);

    const tested = await notebook.add('import os\nuser = os.getuid()');
    const source = 'import os\ndef test_user(cell): assert (cell.user, os.getuid()) == (65534, 65534)\n';
    await notebook.request('PUT', `/cells/${tested}/tests`, { source });
    const { passed, pytest_unavailable, ...rest } = Object(
      (await notebook.request('POST', `/cells/${tested}/tests`)).json,
    );
    assert.deepEqual([passed, pytest_unavailable], [1, false], JSON.stringify(rest));
  });

  it('is that user while it is kept for its widgets', async (t) => {
    const interpreter = await displayEnvironment(t);
    if (interpreter === undefined) return;
    const cell = await notebook.add(`import os, sys
sys.path.insert(0, ${JSON.stringify(lentTo(server, interpreter))})
import ipywidgets as w
number = w.IntText(1)
number.observe(lambda change: print(os.getuid()), 'value')
number`);
    assert.equal((await notebook.run(cell)).error, null);
    const kept = async (type: string, payload: object, tells: 'messages' | 'printed') => {
      const frames = notebook.framesUntil(
        (frame) => frame.type === 'widgets_kept' && Object(frame.payload)[tells].length > 0,
      );
      notebook.socket.send(type, payload);
      return serverFrames.widgets_kept.parse((await frames).at(-1)?.payload);
    };
    const { messages, reason } = await kept('widgets_keep', { cell_id: cell }, 'messages');
    assert.equal(reason, undefined);
    const model = messages.find(({ data }) => Object(data.state)._model_name === 'IntTextModel')?.model;
    const data = { method: 'update', state: { value: 7 }, buffer_paths: [] };
    const change = { model, kind: 'comm_msg', data, buffers: [] };
    const told = await kept('widgets_send', { cell_id: cell, messages: [change] }, 'printed');
    assert.deepEqual([told.printed, told.reason], ['65534\n', undefined]);
  });

  it('reads no file of the server by a query', async () => {
    await setConnections(notebook, [{ name: 'memory', driver: 'duckdb', path: ':memory:' }]);
    const query = await addSql(notebook, "# @sql connection=memory\nSELECT content FROM read_text('/etc/shadow')");
    assert.match((await notebook.run(query)).error ?? '', /disabled|not allowed|permission/i);
    assert.equal(execFileSync('cat', ['/etc/shadow']).length > 0, true);
  });

  it('is what a query over a place of cells runs as: a link that is put in its way leads it nowhere', async () => {
    const secret = path.join(server.home, 'kept');
    fs.mkdirSync(secret, { mode: 0o700 });
    using database = new DatabaseSync(path.join(secret, 'a.db'));
    database.exec("CREATE TABLE t AS SELECT 'of the server' AS word");
    const made = await notebook.run(
      await notebook.add(`import os, sqlite3
os.mkdir("bases")
sqlite3.connect("bases/a.db").execute("CREATE TABLE t AS SELECT 'of the cell' AS word")
open("words.csv", "w").write("word\\nof the file\\n")`),
    );
    assert.equal(made.error, null);
    await setConnections(notebook, [
      { name: 'lite', driver: 'sqlite', path: 'work/bases/a.db' },
      { name: 'lite_new', driver: 'sqlite', path: 'work/bases/b.db', write: true },
      { name: 'duck_new', driver: 'duckdb', path: 'work/bases/c.db', write: true },
      { name: 'own', driver: 'duckdb', path: 'own.db', write: true },
    ]);
    const queries = await Promise.all(
      [
        '# @sql connection=lite\nSELECT word FROM t',
        '# @sql connection=lite_new write=true\nCREATE TABLE IF NOT EXISTS made (n INT)',
        "# @sql connection=duck_new write=true\nCREATE OR REPLACE TABLE made AS SELECT * FROM 'words.csv'",
        '# @sql connection=own write=true\nCREATE OR REPLACE TABLE made (n INT)',
      ].map((source) => addSql(notebook, source)),
    );
    const told = async (): Promise<(string | null)[]> => {
      const results: ExecuteBody[] = [];
      for (const cell of queries) results.push(await notebook.run(cell, 'rerun'));
      return results.map((result, at) => result.error ?? (at === 0 ? shown(result) : null));
    };
    const ofUs = await told();
    assert.match(String(ofUs[0]), /of the cell/);
    assert.deepEqual(ofUs.slice(1), [null, null, null]);
    const bases = path.join(notebook.path, 'work/bases');
    assert.deepEqual(
      ['b.db', 'c.db', '../../own.db'].map((name) => fs.statSync(path.join(bases, name)).uid),
      [65534, 65534, 0],
    );
    // As a program of theirs does between the look of the server and the opening.
    fs.renameSync(bases, `${bases}_before`);
    fs.symlinkSync(secret, bases);
    const ofLink = await told();
    assert.deepEqual(
      ofLink.map((error) => /unable to open|permission denied/i.test(error ?? '')),
      [true, true, true, false],
      String(ofLink),
    );
    assert.deepEqual(fs.readdirSync(secret), ['a.db']);
  });
});
