import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEnginePreparation } from './preparation.ts';

const log = { info: () => {}, warning: () => {} };

describe('preparing the data engine', () => {
  it('is ready at once when its environment is there', async () => {
    const preparation = createEnginePreparation({
      log,
      isReady: async () => true,
      prepare: () => assert.fail('nothing to prepare'),
    });
    assert.deepEqual(await preparation.settled(), { state: 'ready' });
  });

  it('says that it is being prepared until it is', async () => {
    const done = Promise.withResolvers<string | undefined>();
    const preparation = createEnginePreparation({ log, isReady: async () => false, prepare: () => done.promise });
    assert.deepEqual(preparation.current(), { state: 'preparing', reason: 'its Python packages are being installed' });
    done.resolve(undefined);
    assert.deepEqual(await preparation.settled(), { state: 'ready' });
  });

  it('keeps the reason of a failure, and tries again when asked half a minute later', async () => {
    let now = 0;
    const outcomes = ['No Python package index could be reached.', undefined];
    const preparation = createEnginePreparation({
      log,
      isReady: async () => false,
      prepare: async () => outcomes.shift(),
      now: () => now,
    });
    const failed = { state: 'failed', reason: 'No Python package index could be reached.' };
    assert.deepEqual(await preparation.settled(), failed);
    now = 29_000;
    assert.deepEqual(preparation.current(), failed);
    now = 31_000;
    assert.equal(preparation.current().state, 'preparing');
    assert.deepEqual(await preparation.settled(), { state: 'ready' });
  });

  it('turns a fault of its own into a failure instead of ending the server', async () => {
    const preparation = createEnginePreparation({
      log,
      isReady: () => Promise.reject(new Error('no such file')),
    });
    assert.deepEqual(await preparation.settled(), { state: 'failed', reason: 'no such file' });
  });

  it('stops with the server', async () => {
    let stopped = false;
    const preparation = createEnginePreparation({
      log,
      isReady: async () => false,
      prepare: (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped = true;
            resolve('aborted');
          });
        }),
    });
    await Promise.resolve();
    preparation.close();
    assert.deepEqual(await preparation.settled(), { state: 'failed', reason: 'the server is stopping' });
    assert.equal(stopped, true);
  });
});
