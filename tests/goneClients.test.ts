// A client whose machine loses power says nothing. The system asks after it, so that its connection and what the server holds for it end.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import { it } from 'node:test';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const skip = process.platform !== 'linux' && 'looks by the means of Linux';

/** What the system waits for on the server's end of a connection: `02` is a question whether the client is still there. */
function timerOf(serverPort: number, clientPort: number): string | undefined {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => fs.readFileSync(file, 'utf8').split('\n'));
  const fields = lines.map((line) => line.trim().split(/\s+/));
  const found = fields.find(
    ([, local, remote]) => local?.endsWith(`:${hex(serverPort)}`) && remote?.endsWith(`:${hex(clientPort)}`),
  );
  return found?.[5]?.split(':')[0];
}

it('a connection on which nobody says anything is asked after', { skip, timeout: 60_000 }, async () => {
  await using server = await startServer();
  const port = Number(new URL(server.address).port);
  const client = net.connect(port, '127.0.0.1');
  try {
    await until(() => client.localPort !== undefined && !client.connecting, 'the client is connected');
    await until(() => timerOf(port, client.localPort ?? 0) === '02', 'the system will ask after the client');
    assert.equal(client.destroyed, false);
  } finally {
    client.destroy();
  }
});
