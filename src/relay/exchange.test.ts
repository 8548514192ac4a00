// Lines through files, and workers that dial in by them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '../../tests/kit/until.ts';
import { connectToRelay } from './connect.ts';
import { createDialled } from './dialled.ts';
import { dialThroughFiles, openExchange } from './exchange.ts';

function newFolder(t: TestContext): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-exchange-'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Both ends of a connection. */
async function pair(t: TestContext): Promise<{ folder: string; dialler: Duplex; taker: Duplex }> {
  const folder = newFolder(t);
  const came = Promise.withResolvers<Duplex>();
  const exchange = await openExchange(folder, came.resolve);
  t.after(() => exchange.close());
  await exchange.expect(['a']);
  const dialler = dialThroughFiles(path.join(folder, 'a'));
  // At the end its files go away under it.
  dialler.on('error', () => {});
  return { folder, dialler, taker: await came.promise };
}

/** All that comes; what is written goes on. */
async function bytesOf(line: Duplex): Promise<Buffer> {
  const pieces: Buffer[] = [];
  line.on('data', (piece: Buffer) => pieces.push(piece));
  await once(line, 'end');
  return Buffer.concat(pieces);
}

it('carries bytes both ways, in order, over many files', async (t) => {
  const { folder, dialler, taker } = await pair(t);
  const sent = Buffer.alloc(50 * 2 ** 20);
  for (let at = 0; at < sent.length; at += 4) sent.writeUInt32LE(at, at);
  const pieces = Array.from({ length: 50 }, (_, index) => sent.subarray(index * 2 ** 20, (index + 1) * 2 ** 20));
  const [up, down] = await Promise.all([
    bytesOf(taker),
    bytesOf(dialler),
    pipeline(pieces, dialler),
    pipeline([Buffer.from('hello')], taker),
  ]);
  assert.equal(up.equals(sent), true);
  assert.equal(down.toString(), 'hello');
  await until(() => fs.readdirSync(path.join(folder, 'a')).join() === 'dial', 'nothing is left of the connection');
});

it('waits for whoever does not read, with few bytes lying about', async (t) => {
  const { folder, dialler, taker } = await pair(t);
  const piece = Buffer.alloc(2 ** 20, 7);
  let written = 0;
  const writing = pipeline(async function* () {
    for (; written < 150; written += 1) yield piece;
  }, dialler);
  const lying = (): number =>
    fs
      .readdirSync(path.join(folder, 'a'))
      .reduce((sum, name) => sum + fs.statSync(path.join(folder, 'a', name)).size, 0);
  await until(
    () =>
      fs.existsSync(
        path.join(folder, 'a', fs.readdirSync(path.join(folder, 'a')).find((name) => name.endsWith('.up.4')) ?? '-'),
      ),
    'four files are full',
  );
  assert.ok(written < 150, `${written} were taken`);
  assert.ok(lying() < 100 * 2 ** 20, `${lying()} bytes lie there`);
  const read = bytesOf(taker);
  await writing;
  assert.equal((await read).length, 150 * 2 ** 20);
});

it('takes nothing of what has not arrived whole', async (t) => {
  const { folder, dialler, taker } = await pair(t);
  const up = (): string =>
    path.join(folder, 'a', fs.readdirSync(path.join(folder, 'a')).find((name) => name.endsWith('.up.0')) ?? '');
  let got = '';
  taker.on('data', (bytes: Buffer) => {
    got += bytes.toString();
  });
  dialler.write('one');
  await until(() => got === 'one', 'the first piece came');
  // As a network file system shows it: longer already, and empty where the bytes belong.
  const whole = Buffer.from([1, 0, 0, 0, 3, 0, 0, 0, 0, ...Buffer.from('two')]);
  const at = fs.statSync(up()).size;
  const { crc32 } = await import('node:zlib');
  whole.writeUInt32BE(crc32(Buffer.from('two')), 5);
  fs.truncateSync(up(), at + whole.length);
  const file = fs.openSync(up(), 'r+');
  fs.writeSync(file, whole, 0, 10, at);
  await new Promise(setImmediate);
  assert.equal(got, 'one');
  fs.writeSync(file, whole, 0, whole.length, at);
  fs.closeSync(file);
  await until(() => got === 'onetwo', 'the second piece came');
});

it('ends with its other end, however that ends', async (t) => {
  const { folder, dialler, taker } = await pair(t);
  const ended = once(taker.resume(), 'end');
  dialler.destroy();
  await ended;
  const other = dialThroughFiles(path.join(folder, 'a'));
  const broken = new Promise((resolve) => other.on('error', resolve));
  fs.rmSync(path.join(folder, 'a'), { recursive: true });
  await broken;
  assert.throws(() => dialThroughFiles(path.join(folder, 'a')), { code: 'ENOENT' });
});

it('a worker behind files answers, and dials again when the other side begins anew', async (t) => {
  const folder = newFolder(t);
  const target = path.join(folder, 'worker');
  const worker = http.createServer((request, response) => request.pipe(response)).listen(target);
  await once(worker, 'listening');
  const exchangeFolder = path.join(folder, 'exchange');
  const stopping = new AbortController();
  const log = { info: () => {}, warning: () => {} };

  async function taker() {
    const connected = Promise.withResolvers<void>();
    const dialled = createDialled({
      mayDial: (name, shown) => name === 'a' && shown === 'Bearer t',
      graceSeconds: 1,
      onConnected: () => connected.resolve(),
    });
    const server = http.createServer((request, response) => void dialled.pass(request, response));
    server.on('upgrade', dialled.upgrade);
    const exchange = await openExchange(exchangeFolder, (line) => server.emit('connection', line));
    await exchange.expect(['a']);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = server.address();
    const url = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}/w/a/echo`;
    return {
      connected: connected.promise,
      ask: async (body: string) => (await fetch(url, { method: 'POST', body })).text(),
      async close() {
        exchange.close();
        dialled.close();
        server.closeAllConnections();
        server.close();
      },
    };
  }

  const first = await taker();
  const url = pathToFileURL(path.join(exchangeFolder, 'a')).href;
  const connecting = connectToRelay({ url, token: 't', target, log, signal: stopping.signal });
  await first.connected;
  const large = 'x'.repeat(3_000_000);
  assert.deepEqual([await first.ask('hello'), (await first.ask(large)) === large], ['hello', true]);
  await first.close();
  const second = await taker();
  await second.connected;
  assert.equal(await second.ask('again'), 'again');
  assert.equal(fs.statSync(path.join(exchangeFolder, 'a')).mode & 0o777, 0o700);
  stopping.abort();
  await connecting;
  await second.close();
  worker.close();
});
