// Jobs that fail, in a folder of its own; no uv.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { createAttempts } from './attempt.ts';
import type { PythonBackend } from './backend.ts';
import { operationFor } from './operations.ts';
import { createRTools } from './renv.ts';

const project = '[project]\nname = "n"\nversion = "0"\nrequires-python = ">=3.10"\ndependencies = []\n';

it('what failed, and could not be taken back then, is taken back by the next job and not done to its end', async (t) => {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-attempt-'));
  t.after(() => fs.rm(directory, { recursive: true, force: true }));
  const [file, lock] = [path.join(directory, 'pyproject.toml'), path.join(directory, 'uv.lock')];
  await fs.writeFile(file, project);
  const synced: string[] = [];
  const backend: PythonBackend = {
    async sync() {
      synced.push(await fs.readFile(file, 'utf8'));
    },
    async add() {
      await fs.writeFile(file, project.replace('[]', '["two"]'));
      await fs.mkdir(lock); // nobody can read it, nor put another in its place
      throw new Error('The disk takes no writes.');
    },
    async remove() {},
    async repair() {},
    async makeBare() {},
  };
  const { attempt } = createAttempts({
    directory,
    backend,
    r: createRTools({ rscript: () => undefined, installsNothing: null, shared: null }),
    pythons: async () => [{ version: '3.13', fullVersion: '3.13.0', command: '/python' }],
    mayUseAddresses: true,
    hear: () => {},
    isLeaving: () => false,
  });
  const run = (request: Parameters<typeof operationFor>[0]) =>
    attempt(operationFor(request, '3.13'), new AbortController().signal);
  await assert.rejects(run({ action: 'add', requirements: ['two'] }), { code: 'EISDIR' });
  await fs.rmdir(lock);
  assert.equal(await run({ action: 'sync' }), undefined);
  assert.deepEqual([await fs.readFile(file, 'utf8'), ...synced], [project, project, project]);
});
