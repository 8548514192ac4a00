import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadSettings } from '../../settings/index.ts';
import { createAdaptive } from './adaptive.ts';
import { createQos, ScanRefused } from './qos.ts';

const settingsWith = (env: Record<string, string>) => loadSettings({ env, cwd: '/nowhere' }).settings;
const one = { tenant: '_default', client: 'a', tier: 'bulk' } as const;

describe('places for scans', () => {
  it('are for small scans that say which columns they want, or for big ones', () => {
    const qos = createQos(settingsWith({}));
    assert.deepEqual(
      [
        qos.tierOf({ estimatedBytes: 10, columns: ['a'] }),
        qos.tierOf({ estimatedBytes: 10, columns: [] }),
        qos.tierOf({ estimatedBytes: 1e9, columns: ['a'] }),
        qos.tierOf({ estimatedBytes: 10, columns: 'abcdefghijk'.split('') }),
      ],
      ['interactive', 'bulk', 'bulk', 'bulk'],
    );
  });

  it('are given in turn, and refused after the wait', async () => {
    const qos = createQos(settingsWith({ SVC_BULK_SLOTS: '1', SVC_BULK_QUEUE_TIMEOUT: '0', SVC_PER_CLIENT_BULK: '0' }));
    const release = await qos.admit(one);
    await assert.rejects(qos.admit({ ...one, client: 'b' }), new ScanRefused('too_many_requests', 'bulk', 1));
    const queued = qos.queue(one);
    release();
    (await queued)();
    const { bulk_active, bulk_rejected, bulk_queue_wait_count } = qos.metrics();
    assert.deepEqual([bulk_active, bulk_rejected, bulk_queue_wait_count], [0, 1, 2]);
  });

  it('are counted by client and by tenant', async () => {
    const qos = createQos(settingsWith({ SVC_PER_CLIENT_BULK: '1' }));
    const release = await qos.admit(one);
    (await qos.admit({ ...one, client: 'b' }))();
    (await qos.admit({ ...one, tenant: 'other', client: 'c' }))();
    await assert.rejects(qos.admit(one), new ScanRefused('per_client_limit', 'bulk', 1));
    release();
    assert.deepEqual([qos.metrics().client_rejected, qos.metrics().tracked_clients], [1, 0]);
  });
});

describe('adaptive places', () => {
  const env = {
    SVC_BULK_SLOTS: '4',
    SVC_ADAPTIVE_MIN_BULK: '3',
    SVC_ADAPTIVE_MAX_BULK: '5',
    SVC_ADAPTIVE_HYSTERESIS: '2',
  };

  it('become fewer when scans hold them too long, but not below the least', async () => {
    let now = 0;
    const qos = createQos(settingsWith(env), () => now);
    const adaptive = createAdaptive(settingsWith(env), qos, () => now);
    const release = await qos.queue(one);
    now += 1000;
    release();
    const capacities = Array.from({ length: 6 }, () => {
      adaptive.adjust();
      return qos.slots('bulk').capacity;
    });
    assert.deepEqual(capacities, [4, 3, 3, 3, 3, 3]);
    now += 61_000;
    adaptive.adjust();
    assert.equal(adaptive.metrics().bulk.latency_stats.count, 0);
  });

  it('become more when scans are quick and others wait', async () => {
    let now = 0;
    const qos = createQos(settingsWith({ ...env, SVC_BULK_SLOTS: '3', SVC_ADAPTIVE_MIN_BULK: '1' }), () => now);
    const adaptive = createAdaptive(settingsWith(env), qos, () => now);
    const held = await Promise.all([qos.queue(one), qos.queue(one), qos.queue(one)]);
    const waiting = qos.queue(one);
    now += 300;
    for (const release of held) release();
    (await waiting)();
    for (let times = 0; times < 3; times++) adaptive.adjust();
    assert.deepEqual([qos.slots('bulk').capacity, adaptive.metrics().bulk.increase_events], [4, 1]);
  });
});
