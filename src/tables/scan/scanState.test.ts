import assert from 'node:assert/strict';
import { it } from 'node:test';
import { after, holdsRowGroups, isSettling, isUnwanted, newScan, type ScanEvent } from './scanState.ts';

const reached = (...events: readonly ScanEvent[]) => events.reduce(after, newScan(undefined));
const started = { type: 'started', at: 10 } as const;

it('a scan that somebody watches is wanted until the last of them has left', () => {
  const watched = [{ type: 'watched' }, started, { type: 'watched' }, { type: 'left' }] as const;
  assert.equal(isUnwanted(reached(...watched)), false);
  assert.equal(isUnwanted(reached(...watched, { type: 'left' })), true);
});

it('a build goes on with nobody watching', () => {
  const state = reached({ type: 'buildAsked' }, { type: 'watched' }, started, { type: 'left' });
  assert.deepEqual([isUnwanted(state), holdsRowGroups(state)], [false, true]);
});

it('one that nobody wanted may start again', () => {
  const state = reached({ type: 'watched' }, started, { type: 'left' }, { type: 'unwanted' });
  assert.deepEqual([state.phase, state.watchers, state.endedAt], ['waiting', 0, undefined]);
  assert.equal(reached({ type: 'unwanted' }, { type: 'started', at: 20 }).startedAt, 20);
});

it('row groups are held until the result is there and everybody has read it', () => {
  const ready = { type: 'ready', version: undefined, at: 12 } as const;
  assert.equal(holdsRowGroups(reached({ type: 'watched' }, started, ready)), true);
  assert.equal(holdsRowGroups(reached({ type: 'watched' }, started, ready, { type: 'left' })), false);
});

it('a stream that was sent settles until its result is stored', () => {
  const sent = [{ type: 'watched' }, started, { type: 'sent' }] as const;
  assert.equal(isSettling(reached(...sent)), true);
  assert.equal(isSettling(reached(...sent, { type: 'ready', version: undefined, at: 12 })), false);
  assert.equal(isSettling(reached({ type: 'watched' }, started)), false);
});

it('a failure is kept with its time', () => {
  const failure = new Error('The disk is full.');
  const { phase, failure: told, startedAt, endedAt } = reached(started, { type: 'failed', failure, at: 11 });
  assert.deepEqual([phase, told, startedAt, endedAt], ['failed', failure, 10, 11]);
});
