import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateLimitsBody } from '../protocol/observability.ts';
import { createRateLimiter, defaultRateLimits, type RateLimits } from './index.ts';

function limiterAt(overrides: Partial<RateLimits> = {}) {
  const clock = { seconds: 1000 };
  const limiter = createRateLimiter({ ...defaultRateLimits, ...overrides }, () => clock.seconds);
  return { clock, limiter };
}

function spend(times: number, request: () => { allowed: boolean }): number {
  let allowed = 0;
  for (let i = 0; i < times; i += 1) if (request().allowed) allowed += 1;
  return allowed;
}

test('a client starts with a full burst and is told what is left', () => {
  const { limiter } = limiterAt();
  assert.deepEqual(limiter.check('10.0.0.1', '/v1/names'), { allowed: true, remaining: 19 });
  assert.equal(
    spend(19, () => limiter.check('10.0.0.1', '/v1/names')),
    19,
  );
  assert.deepEqual(limiter.check('10.0.0.1', '/v1/names'), {
    allowed: false,
    type: 'client',
    retryAfterSeconds: 1,
    remaining: 0,
  });
  assert.deepEqual(limiter.check('10.0.0.2', '/v1/names'), { allowed: true, remaining: 19 });
});

test('a new client has its whole burst on a clock that never stands still', () => {
  let seconds = 0;
  const limiter = createRateLimiter(defaultRateLimits, () => {
    seconds += 1e-6;
    return seconds;
  });
  assert.deepEqual(limiter.check('a', '/'), { allowed: true, remaining: 19 });
});

test('tokens come back with time and never beyond the burst', () => {
  const { clock, limiter } = limiterAt({ clientPerSecond: 2 });
  spend(20, () => limiter.check('a', '/'));
  clock.seconds += 0.5;
  assert.deepEqual(limiter.check('a', '/'), { allowed: true, remaining: 0 });
  clock.seconds += 200;
  assert.deepEqual(limiter.check('a', '/'), { allowed: true, remaining: 19 });
});

test('the wait is rounded up to whole seconds', () => {
  const { limiter } = limiterAt({ clientPerSecond: 0.3, clientBurst: 1 });
  limiter.check('a', '/');
  assert.deepEqual(limiter.check('a', '/'), {
    allowed: false,
    type: 'client',
    retryAfterSeconds: 4,
    remaining: 0,
  });
});

test('the server-wide bucket is asked first', () => {
  const { limiter } = limiterAt();
  for (let i = 0; i < 100; i += 1) limiter.check(`client-${i}`, '/');
  assert.deepEqual(limiter.check('late', '/'), {
    allowed: false,
    type: 'global',
    retryAfterSeconds: 1,
    remaining: 20,
  });
  assert.equal(limiter.stats().active_clients, 100);
});

test('scan and warm have small bursts of their own, by exact path and by prefix', () => {
  const { limiter } = limiterAt({ clientBurst: 1000 });
  assert.equal(
    spend(12, () => limiter.check('a', '/v1/materialize')),
    10,
  );
  assert.equal(
    spend(6, () => limiter.check('a', '/v1/cache/warm/async')),
    5,
  );
  assert.equal(limiter.check('a', '/v1/materialize/').allowed, true);
});

test('an endpoint refusal keeps the tokens that the earlier buckets gave', () => {
  const { limiter } = limiterAt();
  spend(10, () => limiter.check('a', '/v1/materialize'));
  assert.deepEqual(limiter.check('b', '/v1/materialize'), {
    allowed: false,
    type: 'endpoint',
    retryAfterSeconds: 1,
    remaining: 19,
  });
  assert.deepEqual(limiter.check('b', '/'), { allowed: true, remaining: 18 });
});

test('a client that floods takes nothing from other tenants beyond what it may have itself', () => {
  const { limiter } = limiterAt();
  assert.equal(
    spend(5000, () => limiter.check('flood', '/', 'loud')),
    20,
  );
  assert.deepEqual(limiter.check('quiet', '/', 'calm'), { allowed: true, remaining: 19 });
  assert.deepEqual(limiter.stats().global_tokens_available, 79);
});

test('scans of one tenant use up nothing of another', () => {
  const { limiter } = limiterAt({ clientBurst: 1000 });
  assert.equal(
    spend(30, () => limiter.check('flood', '/v1/materialize', 'loud')),
    10,
  );
  assert.equal(
    spend(30, () => limiter.check('other', '/v1/materialize', 'loud')),
    0,
  );
  assert.equal(
    spend(30, () => limiter.check('calm', '/v1/materialize', 'quiet')),
    10,
  );
});

test('clients idle for 300 s are swept, at most once a minute', () => {
  const { clock, limiter } = limiterAt();
  limiter.check('idle', '/');
  clock.seconds += 250;
  limiter.check('busy', '/');
  clock.seconds += 51;
  limiter.check('busy', '/');
  assert.equal(limiter.stats().active_clients, 2, 'the last sweep was 51 s ago');
  clock.seconds += 10;
  limiter.check('busy', '/');
  assert.equal(limiter.stats().active_clients, 1);
});

test('beyond 10 000 clients the least recently seen one is forgotten', () => {
  const { limiter } = limiterAt({ globalBurst: 1e9 });
  limiter.check('first', '/');
  limiter.check('second', '/');
  for (let i = 0; i < 9998; i += 1) limiter.check(`c${i}`, '/');
  limiter.check('first', '/');
  limiter.check('one more', '/');
  assert.equal(limiter.stats().active_clients, 10_000);
  assert.deepEqual(limiter.check('first', '/'), { allowed: true, remaining: 17 });
  assert.deepEqual(limiter.check('second', '/'), { allowed: true, remaining: 19 }, 'a new, full bucket');
});

test('counts every decision', () => {
  const { limiter } = limiterAt({ clientBurst: 12 });
  spend(13, () => limiter.check('a', '/v1/materialize'));
  const stats = limiter.stats();
  assert.deepEqual(stats, {
    total_requests: 13,
    allowed_requests: 10,
    rejected_global: 0,
    rejected_client: 1,
    rejected_endpoint: 2,
    active_clients: 1,
    global_tokens_available: 87,
    enabled: true,
  });
  assert.deepEqual(rateLimitsBody.parse(stats), stats);
});

test('switched off it allows everything and counts nothing', () => {
  const { limiter } = limiterAt({ enabled: false });
  assert.deepEqual(limiter.check('a', '/v1/materialize'), { allowed: true, remaining: null });
  assert.equal(limiter.stats().total_requests, 0);
});
