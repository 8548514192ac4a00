// Clients that lost a server all come again at one moment, while it is busy. The system keeps their connections for it; those that it has
// no room for are tried again by their own systems after a second, and after many.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { it } from 'node:test';
import { startServer } from './kit/server.ts';

const crowd = 1500;
const roomFile = '/proc/sys/net/core/somaxconn';
const room = fs.existsSync(roomFile) ? Number(fs.readFileSync(roomFile, 'utf8')) : 0;
const skip = room < crowd && 'the system keeps fewer connections for a program, whatever it asks for';

it('a crowd is connected at once, also while the server computes', { skip, timeout: 60_000 }, async () => {
  await using server = await startServer();
  server.process.kill('SIGSTOP'); // it computes, for as long as it takes
  const clients = Array.from({ length: crowd }, () => net.connect(Number(new URL(server.address).port), '127.0.0.1'));
  try {
    // A machine that is crowded itself takes its time; what the system had no room for takes longer than any.
    const signal = AbortSignal.timeout(20_000);
    const outcomes = await Promise.allSettled(clients.map((client) => once(client, 'connect', { signal })));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, crowd);
  } finally {
    server.process.kill('SIGCONT');
    for (const client of clients) client.destroy();
  }
  assert.equal((await fetch(`${server.address}/health`)).status, 200);
});
