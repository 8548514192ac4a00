// A server with a worker beside it, and notebooks whose cells run there.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { createTestNotebook, type TestNotebook } from './notebook.ts';
import { startServer, type TestServer } from './server.ts';
import { startWorker, type TestWorker } from './worker.ts';

export const workerToken = 'token-of-the-worker';

export interface Remote {
  readonly server: TestServer;
  readonly worker: TestWorker;
  notebookWith(name: string, ...workers: object[]): Promise<TestNotebook>;
}

export const specOf = (name: string, url: string, config: object = {}) => ({
  name,
  backend: 'executor',
  config: { url: `${url}/v1/execute`, token_env: 'TEST_WORKER_TOKEN', ...config },
});

/** Both run for as long as the tests of a file; to be called at its top. */
export function startRemote(): Remote {
  let server: TestServer | undefined;
  let worker: TestWorker | undefined;
  before(async () => {
    worker = await startWorker({ env: { SVC_WORKER_TOKEN: workerToken, SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' } });
    server = await startServer({
      env: { TEST_WORKER_TOKEN: workerToken, SVC_WORKER_PROVISIONING_TIMEOUT_SECONDS: '3' },
    });
  });
  after(async () => {
    await worker?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  const started = <T>(one: T | undefined): T => one ?? assert.fail('It has not started yet.');
  return {
    get server() {
      return started(server);
    },
    get worker() {
      return started(worker);
    },
    async notebookWith(name, ...workers) {
      const notebook = await createTestNotebook(started(server), name);
      const answer = await notebook.request('PUT', '/workers', { workers });
      assert.equal(answer.status, 200, answer.text);
      return notebook;
    },
  };
}
