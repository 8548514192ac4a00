// Values that cannot be kept (generators, open files, connections, locks) are made anew by each cell that reads them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

describe('a value that cannot be kept', () => {
  it('is made anew by whoever reads it, from cell to cell, and follows the edits of its maker', async () => {
    const notebook = await createTestNotebook(server, 'Generators');
    const maker = await notebook.add('start = 10\nprint("made")\nnumbers = iter(n for n in range(start, 99))');
    const first = await notebook.add('numbers = numbers\nnext(numbers), next(numbers)');
    const second = await notebook.add('next(numbers)');
    await notebook.run(second);
    const shown = async (id: string): Promise<unknown> => (await notebook.cell(id)).display_output?.preview;
    assert.deepEqual([await notebook.statuses(), await shown(second)], ['ready ready ready', 12]);
    const { effects, console_stdout } = await notebook.cell(second);
    assert.deepEqual([effects?.remade, console_stdout], [['numbers'], ''], 'it says so, and prints nothing of theirs');
    assert.equal((await notebook.run(first)).cache_hit, true);

    await notebook.edit(maker, 'start = 20\nnumbers = iter(n for n in range(start, 99))');
    await notebook.run(second);
    assert.equal(await shown(second), 22);

    await server.rest.post(`/v1/notebooks/${notebook.sessionId}/close`);
    const reopened = await openTestNotebook(server, notebook.path);
    assert.equal(await reopened.statuses(), 'ready ready ready');
    await reopened.edit(second, 'next(numbers) + 1');
    await reopened.run(second);
    assert.equal((await reopened.cell(second)).display_output?.preview, 23);
  });

  it('is made anew in whatever words its class says that it cannot be written down', async () => {
    const notebook = await createTestNotebook(server, 'Refusals');
    const refusals = ['NotImplementedError', 'ValueError', 'RuntimeError'];
    await notebook.add(
      `def kind_of(refusal):
    class Kind:
        size = 3
        def __reduce__(self): raise refusal("pickling is not supported yet")
    return Kind
${refusals.map((refusal) => `of_${refusal} = kind_of(${refusal})()`).join('\n')}`,
    );
    const reader = await notebook.add(`[${refusals.map((refusal) => `of_${refusal}.size`).join(', ')}]`);
    await notebook.run(reader);
    assert.deepEqual((await notebook.cell(reader)).display_output?.preview, [3, 3, 3]);
  });

  it('and is a task or an event loop goes on in the loop of whoever reads it', async () => {
    const notebook = await createTestNotebook(server, 'Tasks');
    await notebook.add('import asyncio\nasync def square(n):\n    await asyncio.sleep(0)\n    return n * n');
    await notebook.add('task = asyncio.create_task(square(7))\nloop = asyncio.get_event_loop()');
    const reader = await notebook.add('[await task, await loop.run_in_executor(None, lambda: 42)]');
    await notebook.run(reader);
    assert.deepEqual((await notebook.cell(reader)).display_output?.preview, [49, 42]);
  });

  it('comes from one run of its cell, however many of its names are read', async () => {
    const notebook = await createTestNotebook(server, 'Connections');
    await notebook.add(
      'import sqlite3\nshop = sqlite3.connect(":memory:")\ncursor = shop.cursor()\n_ = cursor.execute("CREATE TABLE t (n)")',
    );
    const reader = await notebook.add(
      '_ = cursor.execute("INSERT INTO t VALUES (5)")\nshop.execute("SELECT n FROM t").fetchall()[0][0]',
    );
    await notebook.run(reader);
    assert.equal((await notebook.cell(reader)).display_output?.preview, 5);
  });

  it('and is a database that its cells write to is opened again; what is read above a change stays as it was', async () => {
    const notebook = await createTestNotebook(server, 'School');
    const maker = await notebook.add(
      'import os, sqlite3\nif os.path.exists("school.db"):\n    os.remove("school.db")\ncon = sqlite3.connect("school.db")\ncur = con.cursor()',
    );
    const table = await notebook.add('con, cur = con, cur\n_ = cur.execute("CREATE TABLE t (name, grade)")');
    const filled = await notebook.add(
      'con, cur = con, cur\n_ = cur.executemany("INSERT INTO t VALUES (?, ?)", [("Ann", 1), ("Bob", 2)])',
    );
    const before = await notebook.add('con, cur = con, cur\ncur.execute("SELECT sum(grade) FROM t").fetchone()[0]');
    const changed = await notebook.add(
      'con, cur = con, cur\n_ = cur.execute("UPDATE t SET grade = grade + 10")\ncon.commit()',
    );
    const after = await notebook.add('con.execute("SELECT sum(grade) FROM t").fetchone()[0]');
    for (const id of [maker, table, filled, before, changed, after]) await notebook.run(id);
    const shown = async (id: string): Promise<unknown> => (await notebook.cell(id)).display_output?.preview;
    const all = 'ready ready ready ready ready ready';
    assert.deepEqual([await notebook.statuses(), await shown(before), await shown(after)], [all, 3, 23]);
  });

  it('and is a database in memory keeps what it holds where its cell cannot be run again', async () => {
    const notebook = await createTestNotebook(server, 'Memory');
    await notebook.add('import sqlite3\ncon = sqlite3.connect(":memory:")\ncon.row_factory = sqlite3.Row');
    await notebook.add(
      'con = con\n_ = open("sold.txt", "w").write("5")\n_ = con.execute("CREATE TABLE t (n)")\n_ = con.execute("INSERT INTO t VALUES (5)")',
    );
    const reader = await notebook.add('dict(con.execute("SELECT n FROM t").fetchone())["n"]');
    await notebook.run(reader);
    assert.equal((await notebook.cell(reader)).display_output?.preview, 5);
  });

  it('and a buffer that it writes to are made anew together', async () => {
    const notebook = await createTestNotebook(server, 'Writers');
    await notebook.add('import csv, io\nbuffer = io.StringIO()\nwriter = csv.writer(buffer)');
    await notebook.add('buffer, writer = buffer, writer\n_ = writer.writerow([1, 2])');
    const reader = await notebook.add('_ = writer.writerow([3])\nbuffer.getvalue().split()');
    await notebook.run(reader);
    assert.deepEqual((await notebook.cell(reader)).display_output?.preview, ['1,2', '3']);
  });

  it('and that a function of its cell needs is made of what the cell was given', async () => {
    const notebook = await createTestNotebook(server, 'Locks');
    await notebook.add('import threading');
    await notebook.add('lock = threading.Lock()\n\ndef held():\n    with lock:\n        return lock.locked()');
    const reader = await notebook.add('held()');
    await notebook.run(reader);
    assert.equal((await notebook.cell(reader)).display_output?.preview, true);
  });

  it('that opened a file makes the file an input of its readers', async () => {
    const notebook = await createTestNotebook(server, 'Handles');
    fs.mkdirSync(path.join(notebook.path, 'work'), { recursive: true });
    const file = path.join(notebook.path, 'work/words.txt');
    fs.writeFileSync(file, 'one');
    await notebook.add('words = open("words.txt")');
    const reader = await notebook.add('words.read()');
    await notebook.run(reader);
    assert.deepEqual((await notebook.cell(reader)).effects?.read, ['work/words.txt']);
    fs.writeFileSync(file, 'two');
    await notebook.run(reader);
    assert.equal((await notebook.cell(reader)).display_output?.preview, 'two');
  });

  it('that writes a file goes on where the cell above stopped, however often a cell runs', async () => {
    const notebook = await createTestNotebook(server, 'Log');
    await notebook.add(
      'log = open("log.txt", "w+", encoding="utf-8")\nraw = open("raw.bin", "ab")\n_ = log.write("é 1\\n")',
    );
    const second = await notebook.add('log = log\n_ = log.write("2\\n")\n_ = raw.write(b"x")\nraw.close()');
    const reader = await notebook.add('_ = log.seek(0)\nlog.read()');
    await notebook.run(reader);
    await notebook.request('POST', `/cells/${second}/execute`, { force: true });
    await notebook.run(reader);
    assert.equal((await notebook.cell(reader)).display_output?.preview, 'é 1\n2\n');
    assert.equal(fs.readFileSync(path.join(notebook.path, 'work/log.txt'), 'utf8'), 'é 1\n2\n');
    assert.deepEqual((await notebook.cell(second)).effects?.written, ['work/log.txt', 'work/raw.bin']);
  });

  it('whose cell does something outside is not made twice, and the failure says what to do', async () => {
    const notebook = await createTestNotebook(server, 'Outside');
    const maker = await notebook.add('open("log.txt", "w").close()\nlines = (line for line in "ab")');
    await notebook.add('next(lines)');
    const { status, error } = await notebook.run(maker);
    assert.equal(status, 'error');
    assert.match(`${error}`, /lines: .*generator.*\. .* its cell wrote files: join the cells/);
  });
});
