// What one socket may keep waiting, and what is refused before it is read.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { anyone } from '../identity/index.ts';
import { connect } from './connection.ts';
import { readFrame } from './frames.ts';
import { createHub } from './hub.ts';

it('a frame that is nested too deep is refused before it is read', () => {
  const began = performance.now();
  assert.deepEqual(readFrame('['.repeat(8_000_000)), { problem: 'A frame is nested deeper than 128 levels.' });
  assert.ok(performance.now() - began < 2000);
});

it('large frames wait at their sender, not here, and all of them are taken in their order', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${Object(server.address()).port}`);
  const [socket]: WebSocket[] = await once(server, 'connection');
  assert.ok(socket);
  const first = Promise.withResolvers<void>();
  const taken: string[] = [];
  let came = 0;
  const all = Promise.withResolvers<void>();
  connect(
    socket,
    {
      sessionId: 's',
      hub: createHub(),
      touch() {},
      async handle({ payload }) {
        await first.promise;
        if (taken.push(String(Object(payload).cell_id)) === 20) all.resolve();
      },
      socketsChanged() {},
    },
    { caller: anyone, viewer: false, stillValid: async () => true },
  );
  socket.on('message', () => {
    came += 1;
  });
  await once(client, 'open');
  const ids = Array.from({ length: 20 }, (_, at) => `c${at}`);
  for (const cell_id of ids)
    client.send(JSON.stringify({ type: 'cell_source_update', payload: { cell_id, source: 'x'.repeat(900_000) } }));
  const deadline = performance.now() + 20_000;
  while (!socket.isPaused && came < 20 && performance.now() < deadline) await setImmediate();
  // What has come is what was full, and what the same piece of the line brought.
  for (let turn = 0; turn < 200; turn += 1) await setImmediate();
  assert.ok(came <= 3, `${came} frames`);
  first.resolve();
  await all.promise;
  assert.deepEqual(taken, ids);
  client.terminate();
  await once(socket, 'close');
  server.close();
});
