// The way out for workers that reach nobody.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { openExchange } from '../relay/index.ts';
import { takesOutward, throughFiles } from './outward.ts';

it('brings all that a host said, also when it closes at once', async (t) => {
  const sent = Buffer.alloc(5_000_000, 'x');
  const host = net.createServer((socket) => socket.end(sent));
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  t.after(() => host.close());
  const address = host.address();
  assert.ok(address !== null && typeof address === 'object');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-outward-'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const gateway = http.createServer().on('connect', takesOutward({ publicOnly: false, allowedHosts: [] }));
  const exchange = await openExchange(folder, (line) => gateway.emit('connection', line));
  t.after(() => exchange.close());
  await exchange.expect(['a']);
  const connect = throughFiles(path.join(folder, 'a'));
  for (let round = 0; round < 5; round += 1) {
    const line = await connect('127.0.0.1', address.port, AbortSignal.timeout(10_000));
    const came = await buffer(line);
    assert.deepEqual([came.length, came.equals(sent)], [sent.length, true]);
  }
});
