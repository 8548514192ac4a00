import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Keeper, KeptAnswer, Runtime } from '../../runtimes/index.ts';
import { createKeptCells, type KeptRecord, type KeptRequest } from './keptCells.ts';

const limits = { bytes: null, idleSeconds: 60, answerSeconds: 60 };
const keep: KeptRequest = { type: 'widgets_keep', payload: { cell_id: 'c1' } };
const release: KeptRequest = { type: 'widgets_release', payload: { cell_id: 'c1' } };
const send: KeptRequest = { type: 'widgets_send', payload: { cell_id: 'c1', messages: [] } };
const job = () => ({}) as never;
const on = (printed = ''): KeptRecord => ({ cell_id: 'c1', kept: true, messages: [], printed });
const off = (reason: string): KeptRecord => ({ cell_id: 'c1', kept: false, messages: [], printed: '', reason });

/** Keepers that close and answer when the test says so. */
function openKept() {
  const keepers: { sent: PromiseWithResolvers<KeptAnswer>; closed: PromiseWithResolvers<void> }[] = [];
  const runtime = {
    openKeeper(): Promise<Keeper> {
      const sent = Promise.withResolvers<KeptAnswer>();
      const closed = Promise.withResolvers<void>();
      keepers.push({ sent, closed });
      return Promise.resolve({
        state: () => Promise.resolve({ messages: [], printed: '' }),
        send: () => sent.promise,
        close: () => closed.promise,
      });
    },
  };
  const heard: KeptRecord[] = [];
  const cells = createKeptCells(
    () => runtime as unknown as Runtime,
    limits,
    (answer) => heard.push(answer),
  );
  const keeper = (at: number) => keepers[at] ?? assert.fail(`keeper ${at} was never opened`);
  return { cells, heard, keeper };
}

describe('a kept process that is let go', () => {
  it('is answered for at once, however long it takes to end, so that the answer cannot end the next one', async () => {
    const { cells, heard, keeper } = openKept();
    assert.deepEqual(await cells.answer(keep, job), on());
    assert.deepEqual(await cells.answer(release, job), off('it was let go'));
    assert.deepEqual(await cells.answer(keep, job), on());
    assert.deepEqual(heard, [off('it was let go')]);

    const close = cells.close();
    keeper(1).closed.resolve();
    const first = await Promise.race([close.then(() => 'closed'), Promise.resolve('waits for the first')]);
    assert.equal(first, 'waits for the first');
    keeper(0).closed.resolve();
    await close;
  });

  it('does not end the next one by what it was asked before', async () => {
    const { cells, keeper } = openKept();
    await cells.answer(keep, job);
    const asked = cells.answer(send, job);
    await cells.answer(release, job);
    await cells.answer(keep, job);
    keeper(0).sent.resolve({ gone: 'its process has ended', printed: 'last words' });
    assert.deepEqual(await asked, on('last words'));
  });
});
