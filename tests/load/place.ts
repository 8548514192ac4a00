// The service that is loaded: several tenants, notebooks of each, a table, and an interpreter for cells of another user.
import fs from 'node:fs';
import path from 'node:path';
import { withFewArenas } from '../../bin/fewArenas.js';
import { findProgram } from '../kit/parts.ts';
import { type Environment, newHome, startServer, type TestServer } from '../kit/server.ts';
import { proxyEnvironment } from '../kit/service.ts';
import { createWarehouse, type Warehouse } from '../kit/warehouse.ts';
import type { Scale } from './scale.ts';

export interface Place extends AsyncDisposable {
  readonly server: TestServer;
  readonly warehouse: Warehouse;
  /** How much its event loop computes in a turn and what is alive then, a line each look. */
  readonly loopFile: string;
  /** Why no cells can be run on this machine; undefined when they can. */
  readonly withoutCells: string | undefined;
}

export const tableRows = 20_000;
const table = `
rows = pa.table({"n": pa.array(range(${tableRows}), pa.int64()), "half": [n / 2 for n in range(${tableRows})]})
catalog.create_table("db.rows", rows.schema, properties={"write.parquet.row-group-limit": "1000"}).append(rows)
`;

/** Before the clients, which have machines of their own, and before cells: where Linux shares cores between sessions, and lets us. */
export function putFirst(pid: number | undefined): void {
  const file = `/proc/${pid}/autogroup`;
  if (process.getuid?.() === 0 && fs.existsSync(file)) fs.writeFileSync(file, '-10');
}

export interface PlaceOptions {
  /** How often a line goes to the file of the loop. */
  readonly lookMilliseconds?: number;
}

export async function openPlace(scale: Scale, { lookMilliseconds = 10_000 }: PlaceOptions = {}): Promise<Place> {
  const hasUser = process.getuid?.() === 0 && findProgram('python3', ['/usr/bin']) !== undefined;
  const warehouse = await createWarehouse(table);
  const home = fs.realpathSync(newHome());
  // Cells are another user's, who needs a way to notebooks and interpreter.
  fs.chmodSync(home, 0o755);
  fs.mkdirSync(path.join(home, 'tmp'));
  fs.chmodSync(path.join(home, 'tmp'), 0o1777);
  const cells: Environment = hasUser
    ? {
        PATH: '/usr/bin:/bin',
        PYENV_ROOT: '',
        TMPDIR: path.join(home, 'tmp'),
        SVC_NOTEBOOK_PYTHON_VERSIONS: '3.11',
        SVC_NOTEBOOK_HARNESS_USER: 'nobody',
      }
    : {};
  const loopFile = path.join(home, 'loop.jsonl');
  const server = await startServer({
    home,
    // Clients have machines of their own. Linux may share cores between sessions: so the server does not share its part with them.
    within: ['setsid'],
    env: {
      ...withFewArenas({}), // as where an older Node launches it: npm start, the image
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${new URL('../fixtures/loopWork.ts', import.meta.url)}?file=${encodeURIComponent(loopFile)}&milliseconds=${lookMilliseconds}`,
      ...proxyEnvironment,
      ...cells,
      SVC_MULTI_TENANT_ENABLED: 'true',
      SVC_SERVICE_WRITES_ENABLED: 'true',
      SVC_RATE_LIMIT_ENABLED: 'true',
      SVC_LOG_LEVEL: 'WARNING',
      SVC_ARTIFACT_DIR: path.join(home, 'artifacts'),
      SVC_NOTEBOOK_ENV_BACKEND: 'shared',
      SVC_NOTEBOOK_MAX_SESSIONS: String(scale.notebooks + 10),
      SVC_NOTEBOOK_WARM_POOL_SIZE: '1',
      // What is ordered and never fetched is forgotten within the time of warming up: memory is to be flat afterwards.
      SVC_STREAM_STATE_TTL_SECONDS: '20',
    },
  });
  putFirst(server.process.pid);
  return {
    server,
    warehouse,
    loopFile,
    withoutCells: hasUser ? undefined : 'cells of a service need root and a Python in /usr/bin',
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await warehouse[Symbol.asyncDispose]();
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
