import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emptySession, type SessionState } from '../state/index.ts';
import { following, type Gate, liveGate } from './followers.ts';

/** a → b → c, a → d. */
const session: SessionState = {
  ...emptySession,
  graph: {
    order: ['a', 'b', 'c', 'd'],
    wires: new Map([
      ['b', [{ from: 'a', variable: 'x' }]],
      ['c', [{ from: 'b', variable: 'y' }]],
      ['d', [{ from: 'a', variable: 'x' }]],
    ]),
    downstream: new Map(),
  },
};
const careful: Gate = { cellMs: 1000, totalMs: 2500, objection: () => null, takesUnknown: false };
const decide = (gate: Gate, took: Readonly<Record<string, number>>, left: readonly string[] = []) => {
  const { follow, wait } = following(session.graph.order, gate, {
    session,
    lastDuration: (id) => took[id],
    left: new Set(left),
  });
  return { follow, wait: Object.fromEntries(wait) };
};

describe('what follows a change by itself', () => {
  it('is what is cheap, down to the first that is not', () => {
    assert.deepEqual(decide(careful, { a: 10, b: 1200, c: 10, d: 20 }), {
      follow: ['a', 'd'],
      wait: { b: { because: 'slow', duration_ms: 1200 }, c: { because: 'above' } },
    });
  });
  it('takes no longer together than it may', () => {
    assert.deepEqual(decide(careful, { a: 900, b: 900, c: 900, d: 100 }), {
      follow: ['a', 'b'],
      wait: { c: { because: 'together', duration_ms: 2700 }, d: { because: 'together', duration_ms: 2800 } },
    });
  });
  it('is nothing that nobody knows, nor what touches the world outside', () => {
    const gate: Gate = { ...careful, objection: (id) => (id === 'b' ? { because: 'outside' } : null) };
    assert.deepEqual(decide(gate, { a: 1, b: 1, c: 1 }), {
      follow: ['a'],
      wait: { b: { because: 'outside' }, c: { because: 'above' }, d: { because: 'unknown' } },
    });
  });
  it('of a live widget is everything that took at most 30 seconds', () => {
    assert.deepEqual(decide(liveGate, { a: 30_000, b: 30_001 }, ['d']), {
      follow: ['a'],
      wait: { b: { because: 'slow', duration_ms: 30_001 }, c: { because: 'above' }, d: { because: 'above' } },
    });
  });
});
