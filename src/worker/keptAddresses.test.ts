// Addresses of a pulled cell whose server is gone without a word.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { it } from 'node:test';
import { listening } from '../../tests/kit/listening.ts';
import { createLog, createLogRing } from '../observability/index.ts';
import { keepAddresses } from './keptAddresses.ts';

it('a cell is unwanted when its caller hung up and its server has not answered for long', async (context) => {
  const server = createServer();
  const base = await listening(context, server);
  server.on('request', (_request, response) => response.writeHead(503).end());
  const caller = new AbortController();
  const addresses = {
    output: { url: `${base}/upload`, method: 'POST', expires_at: null },
    finalizeUrl: `${base}/finalize`,
    logUrl: null,
    outputFileUrl: null,
    manifestUrl: `${base}/manifest`,
    lifetime: 3600,
  };
  const log = createLog({ level: 'error', format: 'json', destination: { write: () => {} }, ring: createLogRing() });
  const policy = { publicOnly: false, allowedHosts: [] };
  const kept = keepAddresses(addresses, { policy, log, caller: caller.signal, patienceMilliseconds: 200 });
  assert.equal(kept.unwanted.aborted, false);
  caller.abort();
  await once(kept.unwanted, 'abort');
  kept.stop();
});
