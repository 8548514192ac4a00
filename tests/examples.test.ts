// The gallery: every example runs from a clean copy, and a second time everything is found.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const gallery = fileURLToPath(new URL('../examples', import.meta.url));
const program = fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const names = (await fs.readdir(gallery, { withFileTypes: true }))
  .filter((one) => one.isDirectory())
  .map(({ name }) => name);

let folder: string;
let model: Server;
let site: Server;
before(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-examples-'));
  await fs.cp(gallery, folder, { recursive: true });
  model = createServer(async (request, response) => {
    await readText(request);
    const message = { content: '{"mood": "mixed", "late": true}' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices: [{ message }] }));
  });
  site = createServer(async (_request, response) =>
    response.end(await fs.readFile(path.join(gallery, 'everything/site/rates.csv'))),
  );
  await Promise.all([listening(model, 0), listening(site, 8901)]);
});
after(async () => {
  model.close();
  site.close();
  await fs.rm(folder, { recursive: true, force: true });
});

const listening = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));

interface Report {
  readonly success: boolean;
  readonly cells: readonly {
    id: string;
    status: string;
    cache_hit: boolean;
    error?: string;
    tests?: { outcome: string }[];
  }[];
}

function run(name: string): Promise<Report> {
  const address = model.address();
  assert.ok(address !== null && typeof address === 'object');
  const env = {
    ...process.env,
    SVC_NOTEBOOK_STORAGE_DIR: folder,
    SVC_AI_BASE_URL: `http://127.0.0.1:${address.port}/v1`,
    SVC_AI_API_KEY: 'key',
    SVC_CATALOGS: JSON.stringify({
      lab: { type: 'sql', uri: `sqlite:///${path.join(folder, 'lab.db')}`, warehouse: `file://${folder}/lake` },
    }),
  };
  const args = [program, 'run', path.join(folder, name), '--format', 'json'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env, timeout: 600_000, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (stdout === '') reject(new Error(`${name}: ${error?.message}\n${stderr}`));
      else resolve(JSON.parse(stdout));
    });
  });
}

describe('the gallery', { concurrency: 2 }, () => {
  for (const name of names) {
    it(`${name} runs, and is found when it is run again`, async () => {
      const first = await run(name);
      assert.deepEqual(
        first.cells.filter(({ status }) => status !== 'ok'),
        [],
      );
      assert.ok(first.cells.every(({ tests = [] }) => tests.every(({ outcome }) => outcome === 'passed')));
      const second = await run(name);
      assert.deepEqual(
        second.cells.filter(({ cache_hit }) => !cache_hit).map(({ id }) => id),
        [],
      );
    });
  }
});
