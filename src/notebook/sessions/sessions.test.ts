import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSoftLocks } from '../live/softLocks.ts';
import { type Candidate, chooseEvictions } from './eviction.ts';
import { createHolds } from './holds.ts';

describe('making room', () => {
  const session = (sessionId: string, activeAt: number, busy = false): Candidate => ({ sessionId, activeAt, busy });
  const limits = { ttlSeconds: 100, maxSessions: 3, minAvailableBytes: null };

  const cases: [
    name: string,
    sessions: Candidate[],
    options: Parameters<typeof chooseEvictions>[3],
    chosen: string[],
  ][] = [
    ['nothing to do', [session('a', 950), session('b', 960)], {}, []],
    ['idle ones are closed', [session('a', 900), session('b', 901)], {}, ['a idle']],
    ['never one that is busy', [session('a', 0, true), session('b', 0)], {}, ['b idle']],
    [
      'the least recently used goes beyond the limit',
      [session('a', 950), session('b', 940), session('c', 960)],
      { opening: 1 },
      ['b session_limit'],
    ],
    [
      'busy ones count but are not chosen',
      [session('a', 910, true), session('b', 940), session('c', 960), session('d', 970)],
      {},
      ['b session_limit'],
    ],
    [
      'idle ones make room first',
      [session('a', 100), session('b', 940), session('c', 960)],
      { opening: 1 },
      ['a idle'],
    ],
  ];
  for (const [name, sessions, options, chosen] of cases) {
    it(name, () => {
      assert.deepEqual(
        chooseEvictions(sessions, limits, 1000, options).map(({ sessionId, reason }) => `${sessionId} ${reason}`),
        chosen,
      );
    });
  }

  it('one at a time when memory is short', () => {
    const chosen = chooseEvictions(
      [session('a', 950), session('b', 940)],
      { ...limits, minAvailableBytes: 1000 },
      1000,
      { availableBytes: 999 },
    );
    assert.deepEqual(chosen, [{ sessionId: 'b', reason: 'memory' }]);
  });
});

describe('soft locks', () => {
  it('hold a cell for its last editor, until it is forced or time has passed', () => {
    let now = 0;
    const locks = createSoftLocks(5, () => now);
    assert.equal(locks.take('c', 'ann', false), undefined);
    assert.deepEqual(locks.take('c', 'bob', false), { heldBy: 'ann' });
    now = 4.9;
    assert.deepEqual(locks.take('c', 'bob', false), { heldBy: 'ann' });
    assert.equal(locks.take('c', 'bob', true), undefined);
    assert.deepEqual(locks.take('c', 'ann', false), { heldBy: 'bob' });
    now = 10;
    assert.equal(locks.anyHeld(), false);
    assert.equal(locks.take('c', 'ann', false), undefined);
  });

  it('are off at zero seconds', () => {
    const locks = createSoftLocks(0);
    locks.take('c', 'ann', false);
    assert.equal(locks.take('c', 'bob', false), undefined);
  });
});

describe('holds', () => {
  it('cover what lies below, refuse overlaps, and end by themselves', () => {
    let now = 0;
    const holds = createHolds(() => now);
    assert.equal(holds.place('/nb/project', 60), undefined);
    assert.deepEqual(holds.place('/nb/project/one', 60), { held: '/nb/project', inside: false });
    assert.deepEqual(holds.place('/nb', 60), { held: '/nb/project', inside: true });
    assert.equal(holds.place('/nb/project2', 60), undefined);
    holds.complete('/nb/project');
    assert.deepEqual(holds.over('/nb/project/one'), { root: '/nb/project', secondsLeft: 60, complete: true });
    assert.equal(holds.over('/nb/other'), undefined);
    assert.deepEqual(
      [holds.release('/nb'), holds.release('/nb/project2'), holds.release('/nb/project2')],
      [false, true, false],
    );
    now = 60;
    assert.equal(holds.over('/nb/project/one'), undefined);
    assert.equal(holds.release('/nb/project'), false);
  });

  it('count their time from the moment when nothing is written any more, however long it took to come to rest', () => {
    let now = 0;
    const holds = createHolds(() => now);
    holds.place('/nb', 60);
    now = 100;
    assert.deepEqual(holds.over('/nb'), { root: '/nb', secondsLeft: 60, complete: false });
    holds.complete('/nb');
    now = 159;
    assert.deepEqual(holds.over('/nb'), { root: '/nb', secondsLeft: 1, complete: true });
    now = 160;
    assert.equal(holds.over('/nb'), undefined);
  });

  it('refuse what would remove a held notebook with its parent, and wait for what was begun before', async () => {
    const holds = createHolds();
    const begun = Promise.withResolvers<void>();
    const creating = holds.writing('/nb/project/new', () => begun.promise);
    holds.place('/nb/project', 60);
    let isSettled = false;
    const settled = holds.settled('/nb/project').then(() => {
      isSettled = true;
    });
    await assert.rejects(
      holds.writing('/nb', async () => {}),
      /held still for a copy \(\/nb\/project\)/,
    );
    assert.equal(isSettled, false);
    begun.resolve();
    await Promise.all([creating, settled]);
    const free = holds.free('/nb/project/new');
    holds.complete('/nb/project');
    holds.release('/nb/project');
    await free;
  });
});
