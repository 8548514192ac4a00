// What is read from the definition of a worker: its addresses, and what of it enters the keys of results.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf, remoteOf, routeOf, type WorkerDefinition } from './spec.ts';

const workerAt = (url: string, config: object = {}): WorkerDefinition => ({
  name: 'gpu',
  backend: 'executor',
  runtime_id: null,
  config: { url, ...config },
});

const pushedTo = (url: string): string => remoteOf(workerAt(url), {}).url.href;

describe('the address of a worker', () => {
  it('may leave out the route that takes cells', () => {
    assert.deepEqual(
      [
        'http://gpu.example:9000',
        'http://gpu.example:9000/',
        'http://gpu.example:9000/v1/execute',
        'http://gpu.example:9000/v1/execute/',
        'https://relay.example/w/lab',
        'https://relay.example/w/lab/',
        'https://pool.example/run',
      ].map(pushedTo),
      [
        'http://gpu.example:9000/v1/execute',
        'http://gpu.example:9000/v1/execute',
        'http://gpu.example:9000/v1/execute',
        'http://gpu.example:9000/v1/execute',
        'https://relay.example/w/lab/v1/execute',
        'https://relay.example/w/lab/v1/execute',
        'https://pool.example/run',
      ],
    );
  });

  it('leads to the other routes either way', () => {
    for (const url of ['http://gpu.example:9000', 'http://gpu.example:9000/', 'http://gpu.example:9000/v1/execute'])
      assert.equal(routeOf(remoteOf(workerAt(url), {}).url, '/health'), 'http://gpu.example:9000/health');
    const relayed = remoteOf(workerAt('https://relay.example/w/lab'), {}).url;
    assert.equal(routeOf(relayed, '/v1/execute-manifest'), 'https://relay.example/w/lab/v1/execute-manifest');
  });

  it('is the same in the key of a result however it is written', () => {
    const key = (url: string): string => identityOf(workerAt(url), 'gpu');
    assert.equal(key('http://gpu.example:9000'), key('http://gpu.example:9000/v1/execute'));
    assert.notEqual(key('http://gpu.example:9000'), key('http://gpu.example:9001'));
  });

  it('that is none says what to write', () => {
    assert.throws(() => remoteOf(workerAt('gpu.example:9000'), {}), {
      name: 'WorkerUnusable',
      message: 'The worker gpu has no http address; set config.url to where it serves, like http://gpu.example:9000.',
    });
  });
});
