// The package as somebody installs it who has no checkout: packed, installed for the whole machine, started from elsewhere.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../scripts/setup/places.js';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

const run = promisify(execFile);

describe('an installed package', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-package-'));
  const program = path.join(folder, 'lib/node_modules/svc/bin/svc.js');
  let server: TestServer;

  before(async () => {
    // Setup has built it before the tests; building it again here would take it away from servers of other tests.
    const packed = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
      cwd: root,
    });
    const tarball = path.join(folder, packed.stdout.trim());
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', '--global', '--omit=dev', '--prefix', folder, ...quietly, tarball], { cwd: folder });
    server = await startServer({ program });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('brings neither sources nor tests', () => {
    const installed = fs.readdirSync(path.join(folder, 'lib/node_modules/svc'), { recursive: true, encoding: 'utf8' });
    const own = installed.filter((name) => !name.startsWith('node_modules'));
    assert.deepEqual(
      own.filter((name) => /\.test\.[jt]s$|^src\b|^tests\b|__pycache__/.test(name)),
      [],
    );
  });

  it('says what it is made of', () => {
    const file = path.join(folder, 'lib/node_modules/svc/dist/sbom.cdx.json');
    const { bomFormat, components } = Object(JSON.parse(fs.readFileSync(file, 'utf8')));
    const purls: string[] = components.map(({ purl }: { purl: string }) => purl.replace(/@[^@]+$/, ''));
    assert.equal(bomFormat, 'CycloneDX');
    for (const name of ['npm/fastify', 'npm/react-dom', 'pypi/pyarrow']) assert.ok(purls.includes(`pkg:${name}`), name);
  });

  it('serves the page, makes a notebook and runs a cell, and writes nothing beside the home', async () => {
    assert.match((await server.rest.get('/')).text, /<div id="app">/);
    const notebook = await createTestNotebook(server, 'Installed');
    const cell = await notebook.add('6 * 7');
    assert.equal((await notebook.run(cell)).display?.preview, 42);
    const beside = fs.readdirSync(path.join(folder, 'lib/node_modules/svc'), { withFileTypes: true });
    assert.deepEqual(
      beside.filter(({ name }) => name.startsWith('.')).map(({ name }) => name),
      [],
    );
  });
});
