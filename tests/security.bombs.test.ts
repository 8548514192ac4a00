// Small files that stand for much, at every door that takes them apart: each is refused with its reason, in bounded time and memory.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { encode } from 'fast-png';
import { enginePython } from '../scripts/setup/places.js';
import { createArrowScan } from '../src/artifacts/arrow/ipcScan.ts';
import { browseTable, createEngine, summariseTable, wholeTable } from '../src/engine/index.ts';
import { formatVersion } from '../src/notebook/exchange/bundle.ts';
import { harmless } from '../src/notebook/exchange/markdown.ts';
import { plainHtml } from '../src/notebook/exchange/plainHtml.ts';
import { usesIpython } from '../src/notebook/exchange/scripts.ts';
import { engineProgram } from '../src/places.ts';
import { pictureLines } from '../src/viewer/picture.ts';
import { codeCell, jupyterOf, mebibyte, nested, withSize, zipOf } from './kit/bombs.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { ordered, scan } from './kit/scan.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { createWarehouse } from './kit/warehouse.ts';

const skip = process.platform !== 'linux' && 'reads what processes take from /proc';

/** The most memory that a process has had since it was asked for the last time. */
function peakOf(pid: number | undefined): number {
  const peak = Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  fs.writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return peak;
}

describe('what comes as a notebook', { skip }, () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server[Symbol.asyncDispose]());

  /** How it is answered, and by how many MiB the server had grown meanwhile. */
  async function brought(door: string, fileName: string, bytes: string | Buffer): Promise<[number, string, number]> {
    const form = new FormData();
    form.append('file', new Blob([Buffer.from(bytes)]), fileName);
    const before = peakOf(server.process.pid) && peakOf(server.process.pid);
    const answer = await fetch(`${server.address}/v1/notebooks/${door}`, { method: 'POST', body: form });
    const detail = String(Object(await answer.json()).detail);
    return [answer.status, detail, peakOf(server.process.pid) - before];
  }

  it('from Jupyter is refused where it is nested without end, has too many cells or too long ones', async () => {
    const lines = `[${'"x = 1\\n",'.repeat(200_000)}"y"]`;
    const bombs: Record<string, [string, RegExp]> = {
      'only brackets': ['['.repeat(8 * mebibyte), /Invalid \.ipynb JSON: it is nested deeper than 200 levels/],
      'nested metadata': [`{"metadata": ${nested(200_000)}, "cells": []}`, /nested deeper than 200 levels/],
      'many cells': [jupyterOf(Array(10_001).fill(codeCell('"1"')).join()), /it has more than 10000 cells; split it/],
      'a long cell': [
        jupyterOf(codeCell(`"${'x = 1\\n'.repeat(6 * mebibyte)}"`)),
        /cell 1 is longer than 1000000 char/,
      ],
      'a cell of many lines': [jupyterOf(codeCell(lines)), /cell 1 is longer than 1000000 characters; split it/],
    };
    for (const [what, [text, said]] of Object.entries(bombs)) {
      const [status, detail, grown] = await brought('import', 'bomb.ipynb', text);
      assert.equal(status, 400, `${what}: ${detail}`);
      assert.match(detail, said, what);
      assert.ok(grown < 400, `${what}: the server grew by ${grown} MiB`);
    }
    const [status, detail] = await brought('import', 'bomb.py', `${'x = 1\n'.repeat(200_000)}`);
    assert.deepEqual(
      [status, detail],
      [400, 'Import failed: Invalid .ipynb: cell 1 is longer than 1000000 characters; split it'],
    );
  });

  it('as a snapshot is refused where it would grow, lies about its sizes, or holds texts without end', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const manifest = JSON.stringify({ format_version: formatVersion, notebook_id: id, cells: {} });
    const entries = (count: number): string =>
      Array.from(
        { length: count },
        (_, at) => `  { id = "c${at}", file = "c${at}.py", language = "python", order = ${at} },`,
      ).join('\n');
    const toml = (count = 0): string => `notebook_id = "${id}"\nname = "Bomb"\ncells = [\n${entries(count)}\n]\n`;
    const base = { 'artifacts.json': manifest, 'notebook.toml': toml(1), 'cells/c0.py': '1' };
    const long = Buffer.alloc(15 * mebibyte, 'x = 1\n');
    const texts = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`cells/c${at}.py`, long]));
    const claimed = Array.from({ length: 5 }, (_, at) => `artifacts/x@v=${at}`);
    const claims = await zipOf({ ...base, ...Object.fromEntries(claimed.map((name) => [name, '1'])) });
    const lied = await zipOf({ ...base, 'cells/c0.py': long });
    const bombs: Record<string, [Buffer, RegExp]> = {
      'texts that grow': [
        await zipOf({ ...base, 'notebook.toml': toml(5), ...texts }),
        /the texts in it are larger than/,
      ],
      'a long cell': [
        await zipOf({ ...base, 'cells/c0.py': long.subarray(0, 2e6) }),
        /the cell c0 is longer than 1000000/,
      ],
      'twenty gigabytes': [
        claimed.reduce((zip, name) => withSize(zip, name, 0xfffffffe), claims),
        /it would grow beyond/,
      ],
      'a size that is a lie': [withSize(lied, 'cells/c0.py', 10), /it is damaged/],
      'a nested manifest': [
        await zipOf({ ...base, 'artifacts.json': '['.repeat(15 * mebibyte) }),
        /artifacts\.json is malformed/,
      ],
      'a notebook file of empty lines': [await zipOf({ ...base, 'notebook.toml': '\n'.repeat(500_000) }), /./],
      'nested TOML': [await zipOf({ ...base, 'notebook.toml': `x = ${'['.repeat(5 * mebibyte)}` }), /./],
    };
    for (const [what, [bytes, said]] of Object.entries(bombs)) {
      const [status, detail, grown] = await brought('import-snapshot', 'bomb.zip', bytes);
      assert.equal(status, 400, `${what}: ${detail}`);
      assert.match(detail, said, what);
      assert.ok(grown < 500, `${what}: the server grew by ${grown} MiB`);
    }
    assert.deepEqual(fs.readdirSync(path.join(server.home, '.svc/notebooks')), []);
  });
});

describe('what comes as an artifact or a file', { skip }, () => {
  it('is refused where it is larger than allowed, without end, or made of countless parts', async () => {
    const most = 8 * mebibyte;
    await using server = await startServer({ env: { SVC_MAX_UPLOAD_BYTES: `${most}` } });
    const notebook = await createTestNotebook(server, 'Files');
    const file = (name: string): string => `/v1/notebooks/${notebook.sessionId}/files/${name}`;
    const form = { 'content-type': 'multipart/form-data; boundary=b' };
    const part = (name: string): string => `--b\r\nContent-Disposition: form-data; name="${name}`;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(mebibyte);
    }
    const stream = (): ReadableStream => ReadableStream.from(endless());
    const blob = `/v1/artifacts/import/blobs/${'0'.repeat(64)}`;
    type Sendable = string | Uint8Array<ArrayBuffer> | ReadableStream;
    type Sent = [method: string, place: string, body: Sendable, headers: Record<string, string>];
    const importing = (body: Sendable, headers = { 'content-type': 'application/json' }): Sent => [
      ...(['POST', '/v1/artifacts/import', body, headers] as const),
    ];
    const bombs: Record<string, [Sent, number, RegExp]> = {
      'a record that is too large': [importing('x'.repeat(9 * mebibyte)), 413, /exceeds the metadata limit/],
      'a record of brackets': [importing('['.repeat(7 * mebibyte)), 400, /it is nested deeper than 200 levels/],
      'a record that is packed': [
        importing(new Uint8Array(zlib.gzipSync(Buffer.alloc(64 * mebibyte))), {
          ...{ 'content-type': 'application/json', 'content-encoding': 'gzip' },
        } as { 'content-type': string }),
        400,
        /Invalid metadata JSON/,
      ],
      'countless parts': [
        importing(`${`${part('x')}"\r\n\r\n1\r\n`.repeat(100_000)}--b--`, form),
        400,
        /Missing 'metadata' field/,
      ],
      'a header without end': [importing(part('x'.repeat(mebibyte)), form), 400, /the headers of a part are too long/],
      'bytes without end': [['PUT', blob, stream(), {}], 413, /exceeds max_upload_bytes/],
      'a file without end': [['PUT', file('endless'), stream(), {}], 413, /exceeds max_upload_bytes/],
      'folders without end': [
        ['PUT', file(`${'a/'.repeat(1000)}x?parents=true`), 'x', {}],
        400,
        /deeper than 64 folders/,
      ],
    };
    for (const [what, [[method, place, body, headers], status, said]] of Object.entries(bombs)) {
      const before = peakOf(server.process.pid) && peakOf(server.process.pid);
      const init = { method, body, headers, duplex: 'half' as const };
      const answer = await fetch(`${server.address}${place}`, init);
      assert.equal(answer.status, status, what);
      assert.match(String(Object(await answer.json()).detail), said, what);
      const grown = peakOf(server.process.pid) - before;
      assert.ok(grown < 300, `${what}: the server grew by ${grown} MiB`);
    }
    assert.deepEqual(Object((await server.rest.get(file('').slice(0, -1))).json).entries, []);
  });

  it('that says of itself something nested without end is refused', async () => {
    await using server = await startServer();
    const record = { id: 'deep', version: 1, provenance_hash: 'p', created_at: 1, content_sha256: '0'.repeat(64) };
    for (const field of ['transform_spec', 'input_versions']) {
      const { status, json } = await server.rest.post('/v1/artifacts/import', {
        json: { ...record, [field]: nested(200_000) },
      });
      assert.deepEqual([status, Object(json).detail], [400, `Metadata '${field}' must be a JSON object as text`]);
    }
  });
});

describe('what a cell shows', { skip }, () => {
  const shown = {
    'HTML without an end': `display(HTML("<b>x</b>" * 10_000_000))`,
    'much HTML that is nested': 'for _ in range(10): display(HTML("<div>" * 2_400_000))',
    'a large SVG': `display(Drawn("<svg>" + "<g/>" * 15_000_000 + "</svg>"))`,
    'an SVG whose entities stand for gigabytes': `entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
display(Drawn(f'<!DOCTYPE svg [<!ENTITY e0 "ha">{entities}]><svg><text>&e9;</text></svg>'))`,
  };
  const prologue = `from IPython.display import HTML, display
class Drawn:
    def __init__(self, text): self.text = text
    def _repr_svg_(self): return self.text
`;

  it('as HTML or SVG that is large or stands for much is told and exported within bounds', async () => {
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Shown');
    const exported = async (format: string): Promise<number> => {
      const answer = await fetch(`${server.address}/v1/notebooks/${notebook.sessionId}/export?fmt=${format}`);
      assert.equal(answer.status, 200);
      let bytes = 0;
      for await (const piece of answer.body ?? []) bytes += piece.length;
      return bytes;
    };
    for (const [what, source] of Object.entries(shown)) {
      const cell = await notebook.add(`${prologue}${source}`);
      const before = peakOf(server.process.pid) && peakOf(server.process.pid);
      assert.equal((await notebook.run(cell)).error, null, what);
      const told = JSON.stringify(await notebook.state()).length;
      const sizes = [];
      for (const format of ['html', 'ipynb', 'markdown']) sizes.push(await exported(format));
      const grown = peakOf(server.process.pid) - before;
      assert.ok(told < mebibyte, `${what}: the state has ${told} bytes`);
      assert.ok(Math.max(...sizes) < 100 * mebibyte, `${what}: exported as ${sizes} bytes`);
      // Ten times the most that is shown here, and no more however much it stands for.
      assert.ok(grown < 1200, `${what}: the server grew by ${grown} MiB`);
      await notebook.request('DELETE', `/cells/${cell}`);
    }
  });
});

it('texts that patterns look through are looked through once, whatever they hold', async () => {
  const often = (text: string): string => text.repeat(Math.ceil(600_000 / text.length));
  const scripts = ['\n', '# x\n', 'x = 1\n', 'x =    ', '?', `?${' '.repeat(300_000)}x\n`];
  const works: Record<string, () => unknown> = Object.fromEntries([
    ...['<!--', '<table ', '<td ', '<br ', '<', '<tr><td>', '&x', '</table '].map((html) => [
      `HTML of ${html}`,
      () => [plainHtml(often(html)), plainHtml(`<table>${often(html)}</table>`)],
    ]),
    ...scripts.map((source) => [
      `a cell of ${JSON.stringify(source.slice(0, 10))}`,
      () => usesIpython({ source: often(source) }),
    ]),
    ...['\n', '[\n', '[a\\', '](', `[${' '.repeat(500)}\n`].map((text) => [
      `Markdown of ${JSON.stringify(text.slice(0, 10))}`,
      () => harmless(often(text)),
    ]),
  ]);
  const slow = Object.entries(works).flatMap(([what, work]) => {
    const began = process.cpuUsage();
    work();
    const { user } = process.cpuUsage(began);
    return user > 5e6 ? [`${what}: ${user / 1e6} s`] : [];
  });
  assert.deepEqual(slow, []);
});

it('the head of an Arrow stream that comes in small pieces is put together once', () => {
  const scan = createArrowScan();
  const head = Buffer.alloc(16 * mebibyte);
  head.writeUInt32LE(0xffffffff, 0);
  head.writeUInt32LE(60 * mebibyte, 4);
  const began = performance.now();
  for (let at = 0; at < head.length; at += 1024) scan.push(head.subarray(at, at + 1024));
  assert.ok(performance.now() - began < 5000, `16 MiB took ${performance.now() - began} ms`);
});

const bombs = `
import sys, pyarrow as pa
from pyarrow import ipc
folder = sys.argv[1]
def write(name, column, **options):
    table = pa.table({"k": column})
    with pa.OSFile(f"{folder}/{name}.arrow", "wb") as file, ipc.new_stream(file, table.schema, options=ipc.IpcWriteOptions(**options)) as stream:
        for _ in range(options and 32 or 1): stream.write_table(table)
zeros = pa.Array.from_buffers(pa.int64(), 1 << 23, [None, pa.py_buffer(bytes(1 << 26))])
write("zeros", zeros, compression="zstd")
write("nothing", pa.Array.from_buffers(pa.null(), (1 << 31) - 1, [None]))
write("repeated", pa.RunEndEncodedArray.from_arrays(pa.array([(1 << 31) - 1], pa.int64()), pa.array(["x" * 1000])))
`;

it('a stored table that stands for gigabytes is looked into or refused, within the memory of its process', {
  skip,
}, async () => {
  const folder = newHome();
  await promisify(execFile)(enginePython, ['-c', bombs, folder]);
  const engine = createEngine({
    name: 'data',
    // As on a machine that has little memory; the stacks that are set aside count.
    command: 'prlimit',
    args: ['--data=1800000000', enginePython, '-I', engineProgram, 'data'],
    log() {},
  });
  const told: string[] = [];
  const said = async (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'answered',
      (error) => `${error.name}: ${error.message}`,
    );
  for (const name of ['zeros', 'nothing', 'repeated']) {
    const file = path.join(folder, `${name}.arrow`);
    assert.ok(fs.statSync(file).size < mebibyte, `${name} is small`);
    const whole = wholeTable(file);
    for (const call of [
      browseTable(engine, whole, 0, 100),
      browseTable(engine, { ...whole, sortBy: 'k' }, 0, 100),
      browseTable(engine, { ...whole, search: 'x' }, 0, 100),
      summariseTable(engine, file, 10, new AbortController().signal),
    ])
      told.push(`${name}: ${await said(call)}`);
  }
  engine.close();
  fs.rmSync(folder, { recursive: true });
  const refused =
    'Refusal: Looking into this table takes more memory than one process of the server may have; leave out rows or columns in a cell';
  // What it takes differs by the version of Arrow; what is said when it is too much does not.
  assert.deepEqual([...new Set(told.map((line) => line.replace(/^\w+: /, '')))].sort(), [refused, 'answered'].sort());
  assert.ok(told.includes(`zeros: ${refused}`), String(told));
});

const parquetBomb = `
rows = pa.table({"s": pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), ["x" * 1_000_000])})
place = f"{wh}/bomb.parquet"
pq.write_table(rows, place, row_group_size=100_000, store_schema=False)
plain = pa.schema([("s", pa.string())])
catalog.create_table("db.bomb", plain).add_files([place])
catalog.create_table("db.small", plain).append(pa.table({"s": ["x"]}))
print(os.path.getsize(place))
`;

it('a Parquet file that stands for gigabytes is refused, and others are read on', { skip }, async () => {
  await using warehouse = await createWarehouse();
  assert.ok(Number(await warehouse.python(parquetBomb)) < 2 * mebibyte);
  await using server = await startServer({ within: ['prlimit', '--data=2000000000'] });
  const { stream_url } = await ordered(server, warehouse.uri('bomb'));
  const answer = await fetch(`${server.address}${stream_url}`);
  // As every file of a table that cannot be read.
  assert.equal(answer.status, 500);
  assert.match(
    Object(await answer.json()).detail,
    /asks for more memory than there is, being damaged or too large for/,
  );
  assert.equal((await scan(server, warehouse.uri('small'))).rows.length, 1);
});

it('a process that reads tables may have a part of the machine’s memory', { skip }, async () => {
  const { stdout } = await promisify(execFile)(enginePython, [
    '-c',
    `import sys; sys.path.insert(0, ${JSON.stringify(path.dirname(path.dirname(engineProgram)))})
from svc_engine.bounds import bound_memory
import resource, os
bound_memory(0)
print(resource.getrlimit(resource.RLIMIT_DATA)[0] < os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))`,
  ]);
  assert.equal(stdout.trim(), 'True');
});

it('a picture that says it is small and holds much is not drawn in a terminal', () => {
  const small = Buffer.from(encode({ width: 2, height: 2, data: new Uint8Array(4), channels: 1 }));
  const started = small.indexOf('IDAT') - 4;
  const data = zlib.deflateSync(Buffer.alloc(128 * mebibyte));
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from('IDAT'), data, Buffer.alloc(4)]);
  chunk.writeUInt32BE(data.length, 0);
  chunk.writeUInt32BE(zlib.crc32(chunk.subarray(4, -4)), chunk.length - 4);
  const bomb = Buffer.concat([small.subarray(0, started), chunk, small.subarray(small.indexOf('IEND') - 4)]);
  const began = performance.now();
  assert.equal(pictureLines(bomb, { width: 10, height: 10 }, true), null);
  assert.ok(performance.now() - began < 2000, `it took ${performance.now() - began} ms`);
  assert.notEqual(pictureLines(small, { width: 10, height: 10 }, true), null);
});
