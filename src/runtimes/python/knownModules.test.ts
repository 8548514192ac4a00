import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { createKnownModules, modulesFileIn, readKnownModules } from './knownModules.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-modules-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const seen = { seconds: 1, bytes: 1000, modules: 5, threads: [], fork_handlers: 0 };
const own = ['pyarrow', 'pyarrow.ipc', 'cloudpickle'];

function made(): { known: ReturnType<typeof createKnownModules>; log: string[] } {
  const log: string[] = [];
  return { known: createKnownModules(undefined, 'now', [], (line) => log.push(line)), log };
}

test('what a cell names is needed at once; what came into use with it is loaded too', () => {
  const { known } = made();
  known.learn(['torch._dynamo'], ['torch']);
  assert.deepEqual(known.needed(['torch', 'os']), ['numpy', 'numpy.random', 'torch', ...own]);
  assert.deepEqual(known.toFork(['torch', 'os']), ['numpy', 'numpy.random', 'torch', ...own, 'torch._dynamo']);
  assert.deepEqual(known.toFork(['numpy']), ['numpy', 'numpy.random', ...own]);
});

test('the standard library is loaded ahead only where a cell turned out to load it', () => {
  const { known } = made();
  assert.deepEqual(known.toFork(['asyncio', 'sys']), []);
  known.learn(['asyncio'], ['asyncio', 'sys']);
  assert.deepEqual(known.toFork(['asyncio']), ['asyncio']);
  assert.deepEqual(known.needed(['asyncio']), []);
});

test('what must not be forked goes to spare interpreters with everything in it, and is said once', () => {
  const { known, log } = made();
  known.refuse({ name: 'jax', why: 'it starts threads', spare: false });
  known.refuse({ name: 'jax', why: 'it starts threads', spare: false });
  assert.deepEqual(known.toFork(['jax.numpy', 'numpy']), ['numpy', 'numpy.random', ...own]);
  assert.deepEqual(known.toSpare(['jax.numpy', 'numpy']), ['numpy', 'numpy.random', 'jax.numpy', ...own, 'jax']);
  assert.deepEqual(known.toSpare(['numpy']), []);
  known.refuse({ name: 'jax', why: 'its import ended the process', spare: true });
  assert.deepEqual(known.toSpare(['jax']), []);
  assert.deepEqual(log, [
    'jax is not loaded ahead of cells, interpreters that were started afresh load it: it starts threads',
    'jax is not loaded ahead of cells, it is left to the cells that import it: its import ended the process',
  ]);
});

test('of what was asked for only that is kept which had to be loaded by itself', () => {
  const { known } = made();
  known.learn(['scipy', 'scipy.special', 'gone'], ['scipy']);
  known.observe(['scipy', 'scipy.special', 'gone', 'numpy'], [{ name: 'scipy', ...seen }]);
  assert.deepEqual(known.list(), [{ name: 'scipy', with: ['scipy'], verdict: 'fork', seen }]);
  assert.equal(known.bytesOf(['scipy', 'unknown']), 1000);
});

test('it is kept in its file; another environment forgets what was said against a module, and a damaged file all', async () => {
  const file = modulesFileIn(folder);
  const known = createKnownModules(file, 'first', [], () => {});
  known.learn(['a'], ['a']);
  known.refuse({ name: 'b', why: 'it hangs', spare: true });
  await known.save();
  assert.deepEqual(await readKnownModules(file, 'first'), known.list());
  assert.deepEqual(
    (await readKnownModules(file, 'second')).map(({ name, verdict }) => [name, verdict]),
    [
      ['a', 'fork'],
      ['b', 'fork'],
    ],
  );
  fs.writeFileSync(file, '{"version": 1');
  assert.deepEqual(await readKnownModules(file, 'first'), []);
});
