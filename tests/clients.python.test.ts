// The Python client as somebody installs it, used on a real server: its own tests, its types, and what its README shows.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../scripts/setup/places.js';
import { findUv } from '../scripts/setup/uv.js';
import { pythonEnvironment } from './kit/pythonEnvironment.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { createWarehouse, type Warehouse } from './kit/warehouse.ts';

const project = path.join(root, 'clients/python');
const orders = `
orders = pa.table({"id": pa.array(range(100), pa.int64()), "price": [float(n) for n in range(100)]})
catalog.create_table("db.orders", schema=orders.schema).append(orders)
`;

describe('the Python client', { timeout: 800_000 }, () => {
  const installed = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-client-'));
  let programs: string;
  let server: TestServer;
  let warehouse: Warehouse;

  const python = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(path.join(programs, 'python'), args, {
      cwd: project,
      env: {
        ...process.env,
        PYTHONPATH: installed,
        PYTHONDONTWRITEBYTECODE: '1',
        SVC_SERVER_URL: server.address,
        SVC_TEST_TABLE: warehouse.uri('orders'),
      },
      maxBuffer: 2 ** 26,
    }).catch((error: { stdout: string; stderr: string }) => Promise.reject(new Error(error.stdout + error.stderr)));
    return stdout;
  };

  before(async () => {
    const requirements = path.join(root, 'tests/kit/client-requirements.txt');
    programs = await pythonEnvironment('test-client', requirements, () => {});
    const uv = findUv() ?? 'uv';
    const into = ['--python', path.join(programs, 'python'), '--target', installed];
    await promisify(execFile)(uv, ['pip', 'install', '--no-deps', '--no-build-isolation', ...into, project]);
    [server, warehouse] = await Promise.all([startServer(), createWarehouse(orders)]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await warehouse[Symbol.asyncDispose]();
    fs.rmSync(installed, { recursive: true, force: true });
  });

  it('passes its own tests', async () => {
    assert.match(await python('-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests'), /^\d+ passed in/m);
  });

  it('is typed throughout', async () => {
    const cache = path.join(installed, '.mypy');
    assert.match(await python('-m', 'mypy', '--cache-dir', cache, 'src/svc_client'), /^Success: no issues/);
  });

  it('does what its README shows', async () => {
    const readme = fs.readFileSync(path.join(project, 'README.md'), 'utf8');
    const [first = '', second = ''] = [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) => code);
    assert.match(await python('-c', first), /svc:\/\/artifact\/.*\n.*tea[\s\S]*42/);
    const table = second.replaceAll('file:///warehouse#db.orders', warehouse.uri('orders'));
    await python('-c', `from svc_client import SvcClient, gt, scan\nclient = SvcClient()\n${table}`);
  });
});
