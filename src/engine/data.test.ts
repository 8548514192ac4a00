// On the engine's own environment, which `npm test` prepares.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { enginePython } from '../../scripts/setup/places.js';
import { engineProgram } from '../places.ts';
import { dataVersions } from './data.ts';
import { observedEngine, python } from './testing.ts';

const withPackages = fs.existsSync(enginePython) ? enginePython : undefined;

test('an environment without the packages is refused with what to install', async () => {
  const args = ['-I', '-S', engineProgram, 'data'];
  await using engine = observedEngine({ name: 'data', command: python, args });
  await assert.rejects(dataVersions(engine), {
    code: 'engine_refused',
    type: 'MissingPackage',
    message: /lacks pyarrow .*: install python\/svc_engine\/requirements\.txt into it/,
  });
});

test('versions of the data engine, and what Arrow holds there, told with each answer', {
  skip: withPackages === undefined,
}, async () => {
  const args = ['-I', engineProgram, 'data'];
  await using engine = observedEngine({ name: 'data', command: withPackages ?? python, args });
  const { packages, arrowMemoryPool } = await dataVersions(engine);
  for (const version of Object.values(packages)) assert.match(version, /^\d+\.\d+/);
  assert.match(arrowMemoryPool, /^(jemalloc|mimalloc|system)$/);
  assert.deepEqual(engine.memory, { pool: arrowMemoryPool, held: 0, highest: 0 });
  await engine.close();
  assert.equal(engine.memory, undefined);
});

test('a wrong start says how to start it', async () => {
  const args = ['-I', '-S', engineProgram, 'analyse'];
  await using engine = observedEngine({ command: python, args, limits: { maxFailedStarts: 1 } });
  await assert.rejects(engine.warm(), {
    message: /usage: python -I \[-S\] <path>\/svc_engine\/__main__\.py analysis\|data/,
  });
});
