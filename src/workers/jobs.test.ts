import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { createWorkerClient } from './client.ts';
import { awaitJob } from './jobs.ts';

const workerAt = (url: URL) =>
  ({ name: 'far', url, token: null, transport: 'direct', environment: 'auto', svcUrl: null, runtimeId: null }) as const;

it('a job that outlives whoever answers for it is asked about again when that one is back', async (context) => {
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => {
      response.setHeader('etag', '"1"').setHeader('preference-applied', 'wait=20');
      response.end('{"state":"running","detail":"running on n1"}');
    },
    (response) => response.destroy(),
    (response) => response.writeHead(503).end(),
    (response) => response.writeHead(200, { 'content-type': 'application/x-tar' }).end('bundle'),
  ];
  const asked: (string | undefined)[] = [];
  const fake = createServer((request, response) => {
    asked.push(request.headers['if-none-match']);
    answers.shift()?.(response);
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  context.after(() => fake.close());
  const place = fake.address();
  assert.ok(place !== null && typeof place === 'object');
  const url = new URL(`http://127.0.0.1:${place.port}/v1/execute`);
  const told: object[] = [];
  const job = {
    worker: workerAt(url),
    client: createWorkerClient(workerAt(url)),
    submitted: url.href,
    headers: {},
    provisioningSeconds: 600,
    timeoutSeconds: 30,
    onProgress: (progress: object) => void told.push(progress),
    signal: new AbortController().signal,
  };
  const end = await awaitJob(new URL('/v1/jobs/1', url).href, { ...job, patienceSeconds: 60 });
  assert.ok(end.kind === 'bundle');
  assert.equal(await text(end.answer.body), 'bundle');
  assert.deepEqual(told, [{ state: 'running', position: null, detail: 'running on n1' }]);
  assert.deepEqual(asked, [undefined, '"1"', '"1"', '"1"']);
  answers.push((response) => response.destroy());
  await assert.rejects(awaitJob(new URL('/v1/jobs/1', url).href, { ...job, patienceSeconds: 0 }), {
    code: 'JOB_STATUS_FAILED',
  });
});

it('a bundle may take longer than asking about a job does', async (context) => {
  const asked = Promise.withResolvers<ServerResponse>();
  const fake = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-tar' }).write('first ');
    asked.resolve(response);
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  context.after(() => fake.close());
  const place = fake.address();
  assert.ok(place !== null && typeof place === 'object');
  const url = new URL(`http://127.0.0.1:${place.port}/v1/execute`);
  const worker = {
    name: 'slow',
    url,
    token: null,
    transport: 'direct',
    environment: 'auto',
    svcUrl: null,
    runtimeId: null,
  } as const;

  context.mock.timers.enable({ apis: ['setTimeout'] });
  const end = await awaitJob(new URL('/v1/jobs/1', url).href, {
    worker,
    client: createWorkerClient(worker),
    submitted: url.href,
    headers: {},
    provisioningSeconds: 600,
    timeoutSeconds: 30,
    patienceSeconds: 0,
    onProgress() {},
    signal: new AbortController().signal,
  });
  assert.ok(end.kind === 'bundle');
  context.mock.timers.tick(60_000);
  (await asked.promise).end('last');
  assert.equal(await text(end.answer.body), 'first last');
});
