// Cells that read and write beyond their notebook: fetched pages, mounts, and folders that one cell hands to another.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

async function serve(context: TestContext, listener: RequestListener): Promise<string> {
  const page = createServer(listener);
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  context.after(() => page.close());
  const address = page.address();
  assert.ok(address !== null && typeof address === 'object');
  return `http://127.0.0.1:${address.port}`;
}

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a fetch', () => {
  it('is a recorded input: asked about before each run, and a new result only for new bytes', async (context) => {
    let text = 'one';
    const seen: string[] = [];
    const site = await serve(context, (request, response) => {
      const tag = `"${sha(text)}"`;
      const isSame = request.headers['if-none-match'] === tag;
      seen.push(isSame ? 'same' : 'sent');
      if (isSame) response.writeHead(304).end();
      else response.writeHead(200, { etag: tag }).end(text);
    });
    const notebook = await createTestNotebook(server, 'Fetch');
    const cell = await notebook.add(`# @fetch page ${site}/data/page.txt\nbody = page.read_text(); (body, page.name)`);
    const read = async (): Promise<unknown> => {
      const { display, cache_hit } = await notebook.run(cell);
      return [display?.text ?? display?.preview, cache_hit];
    };
    assert.deepEqual(await read(), ["('one', 'page.txt')", false]);
    assert.deepEqual(await read(), ["('one', 'page.txt')", true]);
    text = 'two';
    assert.deepEqual(await read(), ["('two', 'page.txt')", false]);
    text = 'one';
    assert.deepEqual(await read(), ["('one', 'page.txt')", true]);
    assert.deepEqual(seen, ['sent', 'same', 'sent', 'sent']);
    await notebook.request('POST', '/close');
    const reopened = await openTestNotebook(server, notebook.path);
    const told = reopened.socket
      .frame(({ type, payload }) => type === 'cell_status' && payload.status === 'ready')
      .catch(() => undefined);
    if ((await reopened.cell(cell)).status !== 'ready') await told;
    assert.equal((await reopened.cell(cell)).status, 'ready');
  });

  it('is no input any more once its cell is written without it, and everybody is told', async (context) => {
    const site = await serve(context, (_request, response) => response.end('one'));
    const notebook = await createTestNotebook(server, 'No More Inputs');
    const cell = await notebook.add(`# @fetch page ${site}/page.txt\npage.read_text()`);
    await notebook.run(cell);
    await notebook.edit(cell, '1');
    await notebook.run(cell);
    const told = notebook.socket.frames.filter(({ type }) => type === 'cell_inputs').map(({ payload }) => payload);
    assert.deepEqual(told.at(-1), { cell_id: cell, machine: 'local', inputs: [] });
    assert.deepEqual((await notebook.cell(cell)).inputs, []);
  });

  it('holds to its pin, and says what it found instead', async (context) => {
    const site = await serve(context, (_request, response) => response.end('changed'));
    const notebook = await createTestNotebook(server, 'Pin');
    const cell = await notebook.add(`# @fetch page ${site}/x sha256=${sha('as it was')}\npage`);
    const { error, error_code } = await notebook.run(cell);
    assert.equal(error_code, 'fetch_pin_mismatch');
    assert.match(error ?? '', new RegExp(`${sha('changed')}.*${sha('as it was')}`));
    await notebook.edit(cell, `# @fetch page ${site}/x sha256=${sha('changed')}\npage.read_text()`);
    assert.equal((await notebook.run(cell)).display?.preview, 'changed');
  });

  it('goes on where a connection broke', async (context) => {
    const whole = 'abcdefghij'.repeat(200_000);
    const ranges: (string | undefined)[] = [];
    const site = await serve(context, (request, response) => {
      ranges.push(request.headers.range);
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const headers = { etag: '"v1"', 'content-length': whole.length - from };
      if (from > 0)
        response
          .writeHead(206, { ...headers, 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}` })
          .end(whole.slice(from));
      else {
        response.writeHead(200, headers);
        response.write(whole.slice(0, 1_500_000), () => response.destroy());
      }
    });
    const notebook = await createTestNotebook(server, 'Resume');
    const cell = await notebook.add(`# @fetch page ${site}/x\npage.read_text() == "abcdefghij" * 200_000`);
    assert.match((await notebook.run(cell)).error ?? '', /@fetch page: .*could not be read/);
    assert.equal((await notebook.run(cell)).display?.preview, true);
    assert.equal(ranges[0], undefined);
    assert.match(ranges[1] ?? '', /^bytes=[1-9]\d*-$/);
  });

  it('asks once for an address with two names', async (context) => {
    let asked = 0;
    const site = await serve(context, (_request, response) => {
      asked += 1;
      response.end('x'.repeat(3_000_000));
    });
    const notebook = await createTestNotebook(server, 'Twice');
    const cell = await notebook.add(
      `# @fetch one ${site}/x\n# @fetch two ${site}/x\nlen(one.read_text()) + len(two.read_text())`,
    );
    const { error, display } = await notebook.run(cell);
    assert.deepEqual([error, display?.preview, asked], [null, 6_000_000, 1]);
  });

  it('takes no part for the whole, and nothing for what was never there', async (context) => {
    const site = await serve(context, (request, response) => {
      if (request.url === '/part') response.writeHead(206, { 'content-range': 'bytes 5-9/10' }).end('fghij');
      else if (request.url === '/same') response.writeHead(304).end();
      else response.end('whole');
    });
    const notebook = await createTestNotebook(server, 'Liars');
    const cell = await notebook.add(`# @fetch page ${site}/part\npage.read_text()`);
    assert.match((await notebook.run(cell)).error ?? '', /\/part sent a part that was not asked for/);
    await notebook.edit(cell, `# @fetch page ${site}/same\npage.read_text()`);
    assert.match((await notebook.run(cell)).error ?? '', /\/same answered HTTP 304/);
  });

  it('stays below its cache, whatever its record says', async (context) => {
    const site = await serve(context, (_request, response) => response.end('fetched'));
    const place = path.join(os.tmpdir(), `svc-elsewhere-${process.pid}`);
    await fs.writeFile(place, 'of the server');
    context.after(() => fs.rm(place));
    const notebook = await createTestNotebook(server, 'Record');
    const cell = await notebook.add(`# @fetch page ${site}/x refetch=never\npage.read_text()`);
    const entry = { checked_at: 0, fetched_at: 0, etag: null, last_modified: null, sha256: '..', filename: '../../x' };
    await notebook.request('POST', '/close');
    await fs.mkdir(path.join(notebook.path, '.svc/fetch'), { recursive: true });
    const way = path.relative(path.join(notebook.path, '.svc'), place);
    await fs.writeFile(
      path.join(notebook.path, '.svc/fetch/index.json'),
      JSON.stringify({ [`${site}/x`]: { ...entry, filename: way } }),
    );
    const reopened = await openTestNotebook(server, notebook.path);
    assert.equal((await reopened.run(cell)).display?.preview, 'fetched');
  });

  it('fails the cell with what the other side said', async (context) => {
    const site = await serve(context, (_request, response) => response.writeHead(404).end());
    const notebook = await createTestNotebook(server, 'Missing');
    const cell = await notebook.add(`# @fetch page ${site}/nothing\npage`);
    assert.match((await notebook.run(cell)).error ?? '', /@fetch page: .*\/nothing answered HTTP 404/);
    await notebook.edit(cell, '# @fetch page ftp://example.org/x\npage');
    assert.match((await notebook.run(cell)).error ?? '', /use http or https/);
  });
});

describe('a mount', () => {
  it('is a path, and what lies there is part of how a result came about', async () => {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-mount-'));
    await fs.writeFile(path.join(folder, 'a.txt'), 'first');
    const notebook = await createTestNotebook(server, 'Mount');
    const cell = await notebook.add(`# @mount raw file://${folder}\n(raw / "a.txt").read_text()`);
    assert.equal((await notebook.run(cell)).display?.preview, 'first');
    assert.equal((await notebook.run(cell)).cache_hit, true);
    await fs.writeFile(path.join(folder, 'a.txt'), 'second and longer');
    assert.equal((await notebook.run(cell)).display?.preview, 'second and longer');

    const writer = await notebook.add(`# @mount out file://${folder}/out rw\n(out / "b.txt").write_text("written")`);
    for (const run of [await notebook.run(writer), await notebook.run(writer)]) assert.equal(run.cache_hit, false);
    assert.equal(await fs.readFile(path.join(folder, 'out/b.txt'), 'utf8'), 'written');
    await fs.rm(folder, { recursive: true });
  });
});

describe('an output folder', () => {
  it('is handed to the cells that read it, listed, and found again', async () => {
    const notebook = await createTestNotebook(server, 'Folders');
    const maker = await notebook.add(
      '# @output_dir ckpt\n(ckpt / "deep").mkdir()\n(ckpt / "a.txt").write_text("A" * 2048)\n(ckpt / "deep" / "b.txt").write_text("B")\nopen(ckpt / "same.txt", "w").write("B")',
    );
    const reader = await notebook.add(
      'sorted(str(p.relative_to(ckpt)) + " " + p.read_text()[:1] for p in ckpt.rglob("*.txt"))',
    );
    assert.deepEqual((await notebook.run(reader)).display?.preview, ['a.txt A', 'deep/b.txt B', 'same.txt B']);
    const { display_outputs, status } = await notebook.cell(maker);
    assert.equal(status, 'ready');
    assert.equal(
      Object(display_outputs[0]).markdown_text,
      '**ckpt**: 3 files, 2.0 KiB\n\n| File | Size |\n|---|---|\n| a.txt | 2.0 KiB |\n| deep/b.txt | 1 B |\n| same.txt | 1 B |',
    );
    assert.equal((await notebook.run(maker)).cache_hit, true);
    const careless = await notebook.add('(ckpt / "a.txt").write_text("changed")');
    await notebook.run(careless);
    assert.deepEqual((await notebook.run(reader, 'rerun')).display?.preview, ['a.txt A', 'deep/b.txt B', 'same.txt B']);
  });
});
