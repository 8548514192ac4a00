// Changes of an environment that wait: behind a cell that runs and behind each other, seen by everybody, taken back by anybody.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestNotebook } from './kit/notebook.ts';
import { startPackageIndex } from './kit/packageIndex.ts';
import { startServer } from './kit/server.ts';

interface Answer {
  readonly environment_job_queue: readonly { readonly id: string; readonly label: string }[];
}

it('a job that is asked for while a cell runs waits for it, and those behind it for their turn', async () => {
  await using index = await startPackageIndex({
    onepack: { '1.0': [] },
    twopack: { '1.0': [] },
    threepack: { '1.0': [] },
  });
  await using server = await startServer({ env: index.env });
  const notebook = await createTestNotebook(server);
  const busy = await notebook.add('import time\ntime.sleep(600)');
  const runs = notebook.framesUntil(({ payload }) => payload.cell_id === busy && payload.status === 'running');
  notebook.socket.send('cell_execute', { cell_id: busy });
  await runs;
  const ask = (job: object) => notebook.request('POST', '/environment/jobs', job);
  const waiting = ({ json }: { readonly json: unknown }) => (Object(json) as Answer).environment_job_queue;

  assert.equal((await ask({ action: 'add', package: 'onepack' })).status, 409);
  const told = notebook.framesUntil(({ type, payload }) => {
    const { jobs } = payload as { readonly jobs?: readonly unknown[] };
    return type === 'environment_job_queue' && jobs?.length === 3;
  });
  await ask({ action: 'add', packages: ['onepack'], wait: true });
  await ask({ action: 'add', package: 'twopack', wait: true });
  const asked = await ask({ action: 'add', package: 'threepack', wait: true });
  assert.deepEqual(
    [asked.status, waiting(asked).map(({ label }) => label)],
    [202, ['add onepack', 'add twopack', 'add threepack']],
  );
  await told;
  const takeBack = (id = '') => notebook.request('DELETE', `/environment/jobs/queue/${id}`);
  const id = waiting(asked)[1]?.id;
  assert.deepEqual(
    [await takeBack(id), await takeBack(id)].map(({ status }) => status),
    [200, 404],
  );

  const done = notebook.framesUntil(({ type, payload }) => {
    const { environment_job } = payload as { readonly environment_job?: { readonly package: string } };
    return type === 'environment_job_finished' && environment_job?.package === 'threepack';
  });
  await notebook.request('POST', `/cells/${busy}/cancel`);
  await done;
  const { json } = await notebook.request('GET', '/environment');
  const names: string[] = Object(json).dependencies.map(({ name }: { name: string }) => name);
  assert.deepEqual(
    names.filter((name) => name.endsWith('pack')),
    ['onepack', 'threepack'],
  );

  // What cannot be read is refused at once, and does not wait.
  assert.deepEqual(
    [
      (await ask({ action: 'add', packages: ['onepack', '-r file'], wait: true })).status,
      (await ask({ action: 'remove', packages: ['onepack'], wait: true })).status,
      (await ask({ action: 'add', packages: [], wait: true })).status,
    ],
    [400, 400, 400],
  );
});
