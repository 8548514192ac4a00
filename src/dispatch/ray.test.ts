import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createRay } from './ray.ts';

test('a head that says nothing, or never comes to an end, is told in words after a while', async (t) => {
  const heads: Record<string, http.RequestListener> = {
    silent: () => {},
    endless: (_request, response) => response.writeHead(200).write('{'),
  };
  for (const [name, answer] of Object.entries(heads)) {
    const head = http.createServer(answer).listen(0, '127.0.0.1');
    t.after(() => head.close().closeAllConnections());
    await once(head, 'listening');
    const address = `http://127.0.0.1:${(head.address() as AddressInfo).port}`;
    const options = { instance: 'a', address, token: null, workerCommand: '', env: {}, askMilliseconds: 300 };
    await assert.rejects(
      createRay(options).nodes(),
      { message: `Ray does not answer at ${address}: nothing came, or not all of it, within 0.3 s.` },
      name,
    );
  }
});
