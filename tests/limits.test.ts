// The rate limiter as clients meet it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as protocol from '../src/protocol/index.ts';
import { startServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';

/** Buckets that do not refill while a test runs. */
const slow = { SVC_RATE_LIMIT_ENABLED: 'true', SVC_RATE_LIMIT_CLIENT_BURST: '3', SVC_RATE_LIMIT_CLIENT_RPS: '0.01' };

describe('rate limits', () => {
  it('refuse in plain text, and say when to come back', async () => {
    await using server = await startServer({ env: slow });
    const answers = [];
    for (let count = 0; count < 4; count++) answers.push(await server.rest.get('/v1/config/timeouts'));
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['x-ratelimit-remaining']]),
      [
        [200, '2'],
        [200, '1'],
        [200, '0'],
        [429, '0'],
      ],
    );
    const refused = answers[3];
    assert.deepEqual(
      [
        refused?.text,
        refused?.headers['retry-after'],
        refused?.headers['x-ratelimit-limit-type'],
        refused?.headers['content-type'],
      ],
      ['Rate limit exceeded (client). Retry after 100s.', '100', 'client', 'text/plain; charset=utf-8'],
    );
  });

  it('leave one line of a flood in the log until it is over, and nothing else is pushed out', async () => {
    await using server = await startProxied(slow);
    const [ann, root] = [asserted({ principal: 'ann' }), asserted({ principal: 'root', scopes: 'admin:*' })];
    for (let count = 0; count < 10; count++) await server.rest.get('/v1/config/timeouts', { headers: ann });
    const { json } = await server.rest.get('/v1/logs?regex=Rate limit|Request', { headers: root });
    const told = protocol.logsBody
      .parse(json)
      .entries.map(({ level, message, principal, limit, times }) => [level, message, principal, limit, times]);
    assert.deepEqual(told, [['info', 'Rate limit exceeded', 'ann', 'client', 1]]);
  });

  it('never stop probes and scrapes', async () => {
    await using server = await startServer({ env: slow });
    const open = [
      '/health',
      '/health/ready',
      '/health/dependencies',
      '/metrics',
      '/metrics/prometheus',
      '/v1/debug/pools',
      '/v1/debug/memory',
    ];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(open.map((path) => server.rest.get(path)));
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers['x-ratelimit-remaining']]),
        open.map(() => [200, undefined]),
      );
    }
  });

  it('bound scans more tightly than other requests', async () => {
    await using server = await startServer({
      env: { SVC_RATE_LIMIT_ENABLED: 'true', SVC_RATE_LIMIT_SCAN_RPS: '0.01' },
    });
    const types = [];
    for (let count = 0; count < 11; count++)
      types.push((await server.rest.post('/v1/materialize', { json: {} })).headers['x-ratelimit-limit-type']);
    assert.deepEqual(types, [...Array(10).fill(undefined), 'endpoint']);
  });

  it('know a client by its principal, else by its address; a forwarded address only from a proxy that is believed', async () => {
    await using proxied = await startProxied(slow);
    const as = async (principal: string) =>
      (await proxied.rest.get('/v1/config/timeouts', { headers: asserted({ principal }) })).status;
    assert.deepEqual(
      [await as('ann'), await as('ann'), await as('ann'), await as('ann'), await as('bob')],
      [200, 200, 200, 429, 200],
    );

    const forwarded = async (server: { rest: typeof proxied.rest }, address: string) =>
      (await server.rest.get('/v1/config/timeouts', { headers: { 'x-forwarded-for': address } })).status;
    await using plain = await startServer({ env: slow });
    assert.deepEqual(
      [
        await forwarded(plain, '1.1.1.1'),
        await forwarded(plain, '2.2.2.2'),
        await forwarded(plain, '3.3.3.3'),
        await forwarded(plain, '4.4.4.4'),
      ],
      [200, 200, 200, 429],
    );
    await using trusting = await startServer({ env: { ...slow, SVC_FORWARDED_ALLOW_IPS: '127.0.0.1' } });
    const seen = [];
    for (const address of ['1.1.1.1', '1.1.1.1', '1.1.1.1', '1.1.1.1', '2.2.2.2'])
      seen.push(await forwarded(trusting, address));
    assert.deepEqual(seen, [200, 200, 200, 429, 200]);
  });

  it('are counted', async () => {
    await using server = await startServer({ env: slow });
    for (let count = 0; count < 4; count++) await server.rest.get('/v1/config/timeouts');
    const { text } = await server.rest.get('/metrics/prometheus');
    assert.match(text, /^svc_rate_limit_rejected_total\{reason="client"\} 1$/m);
    assert.match(text, /^svc_rate_limit_allowed_total 3$/m);
  });
});
