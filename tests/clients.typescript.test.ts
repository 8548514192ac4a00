// The TypeScript client as it is built from this checkout: its README's example is type-checked against it and run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../scripts/setup/places.js';
import { startServer } from './kit/server.ts';

const run = promisify(execFile);
const project = path.join(root, 'clients/typescript');

describe('the TypeScript client', () => {
  it('is built, types what its README shows, and does it', async () => {
    await run(process.execPath, [path.join(project, 'generate.ts')]);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-client-'));
    fs.mkdirSync(path.join(folder, 'node_modules'));
    fs.symlinkSync(project, path.join(folder, 'node_modules/svc-client'));
    await using server = await startServer();
    const [, example = ''] = /```ts\n(.*?)```/s.exec(fs.readFileSync(path.join(project, 'README.md'), 'utf8')) ?? [];
    const shown = path.join(folder, 'shown.mts');
    fs.writeFileSync(shown, example.replace('http://127.0.0.1:8765', server.address));
    const wrong = path.join(folder, 'wrong.mts');
    fs.writeFileSync(
      wrong,
      `import { createClient } from 'svc-client';
const client = createClient({ baseUrl: '' });
await client.request('GET /v1/nothing');
await client.request('POST /v1/notebooks/open', { body: { path: 7 } });
(await client.request('GET /health')).status.length.nothing;
`,
    );
    const check = async (file: string): Promise<string> =>
      run(path.join(root, 'node_modules/.bin/tsc'), [
        ...[
          '--ignoreConfig',
          '--noEmit',
          '--strict',
          '--target',
          'es2022',
          '--module',
          'nodenext',
          '--lib',
          'es2023,dom',
        ],
        ...['--skipLibCheck', '--types', '', file],
      ]).then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
    assert.equal(await check(shown), '');
    assert.deepEqual(
      [...(await check(wrong)).matchAll(/wrong\.mts\((\d+),/g)].map(([, line]) => Number(line)),
      [3, 4, 5],
    );
    const { stdout } = await run(process.execPath, [shown]);
    assert.equal(stdout, 'ready 42\n');
    fs.rmSync(folder, { recursive: true, force: true });
  });
});
