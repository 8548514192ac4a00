import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createSharedLibraries } from './sharedLibrary.ts';

const lockOf = (packages: Readonly<Record<string, object>>): string => JSON.stringify({ R: {}, Packages: packages });

test('libraries of R are shared where the lock names packages that came with R, and not where another one is missing', async (t) => {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-r-')));
  t.after(() => fs.rmSync(home, { recursive: true }));
  const libraries = createSharedLibraries(path.join(home, 'shared'));
  const isShared = async (name: string, packages: Readonly<Record<string, object>>): Promise<boolean> => {
    const notebook = path.join(home, name);
    const installed = path.join(notebook, 'renv/library/jsonlite');
    const work = async (): Promise<void> => {
      fs.mkdirSync(installed, { recursive: true });
      fs.writeFileSync(path.join(installed, 'DESCRIPTION'), 'Package: jsonlite\nVersion: 1.0\n');
      fs.writeFileSync(path.join(notebook, 'renv.lock'), lockOf(packages));
    };
    await libraries.around(notebook, 'R 4.2', work, new AbortController().signal);
    return fs.lstatSync(path.join(notebook, 'renv/library')).isSymbolicLink();
  };
  const jsonlite = { Package: 'jsonlite', Version: '1.0' };
  const withR = { Package: 'KernSmooth', Version: '2.23-20', Priority: 'recommended' };
  assert.equal(await isShared('one', { jsonlite, KernSmooth: withR, renv: {} }), true);
  assert.equal(await isShared('two', { jsonlite, tinyr: { Package: 'tinyr' } }), false);
});
