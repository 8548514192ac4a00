// Tables that are damaged or say what cannot be: told in words, nothing of them kept, and the server goes on.
// SVC_TEST_SEED repeats the random damage.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { enginePython } from '../scripts/setup/places.js';
import { order, ordered, rowsAt, scan } from './kit/scan.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { createWarehouse, type Warehouse } from './kit/warehouse.ts';

const names = [
  'noJson',
  'notMetadata',
  'noSnapshot',
  'strangeType',
  'gone',
  'noList',
  'cutAvro',
  'noData',
  'folder',
  'cut',
];
const whole = ['cycle', 'whole'];

const tables = `
for name in ${JSON.stringify([...names, ...whole])}:
    t = catalog.create_table(f"db.{name}", schema=pa.schema([("id", pa.int64())]))
    t.append(pa.table({"id": [1, 2]}))
    t.append(pa.table({"id": [3]}))
print(json.dumps({name: catalog.load_table(f"db.{name}").metadata_location for name in ${JSON.stringify([...names, ...whole])}}))
`;

describe('a damaged table', () => {
  let server: TestServer;
  let warehouse: Warehouse;
  let metadata: Record<string, string>;
  before(async () => {
    [server, warehouse] = await Promise.all([startServer({}), createWarehouse()]);
    metadata = JSON.parse(await warehouse.python(tables));
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await warehouse[Symbol.asyncDispose]();
  });

  const placeOf = (table: string): string => String(metadata[table]).replace('file://', '');

  async function rewrite(table: string, change: (text: string) => string): Promise<void> {
    await writeFile(placeOf(table), change(await readFile(placeOf(table), 'utf8')));
  }

  const filesOf = async (table: string, folder: string, ending: RegExp): Promise<string[]> => {
    const place = path.join(warehouse.folder, 'db', table, folder);
    return (await readdir(place)).filter((name) => ending.test(name)).map((name) => path.join(place, name));
  };

  /** Status and message, without the parts of it that are random. */
  async function told(table: string): Promise<[number, string]> {
    const { status, json } = await order(server, warehouse.uri(table));
    return [status, String(Object(json).detail).replace(/^file:\S*\/(data|metadata)\/\S+/, '$1')];
  }

  it('is refused with what is wrong with it', async () => {
    await rewrite('noJson', (text) => text.slice(0, 100));
    await rewrite('notMetadata', () => '{"format-version": 2}');
    await rewrite('noSnapshot', (text) =>
      text.replace(/"current-snapshot-id":\d+/, '"current-snapshot-id":77').replace(/"refs":\{.*?\}\}/, '"refs":{}'),
    );
    await rewrite('strangeType', (text) => text.replaceAll('"long"', '"decimal(99,2)"'));
    await rm(placeOf('gone'));
    for (const file of await filesOf('noList', 'metadata', /^snap/)) await rm(file);
    for (const file of await filesOf('cutAvro', 'metadata', /m0\.avro$/)) await truncate(file, 40);
    for (const file of await filesOf('noData', 'data', /parquet$/)) await rm(file);
    for (const file of await filesOf('folder', 'data', /parquet$/)) {
      await rm(file);
      await mkdir(file);
    }
    const answers = await Promise.all(names.slice(0, -1).map(told));
    assert.deepEqual(new Set(answers.map(([status]) => status)), new Set([422]));
    const missing = 'is missing: the table refers to it, but it is not there';
    assert.deepEqual(
      answers.map(([, text]) => text.replace(/(cannot be read): .*/, '$1')),
      [
        'metadata cannot be read',
        'metadata cannot be read',
        'metadata says that snapshot 77 is the current one, but does not list it',
        'metadata cannot be read',
        `metadata ${missing}`,
        `metadata ${missing}`,
        'metadata cannot be read',
        `data ${missing}`,
        'data cannot be read',
      ],
    );
    assert.match((await told('notMetadata'))[1], /cannot be read: 2\.location: Field required$/);
  });

  it('that breaks while it is read breaks the stream, and nothing of it is kept', async () => {
    const { stream_url } = await ordered(server, warehouse.uri('cut'));
    for (const file of await filesOf('cut', 'data', /parquet$/)) await truncate(file, 100);
    const { status, text } = await rowsAt(server, stream_url);
    assert.deepEqual([status, Object(JSON.parse(text)).error], [500, 'scan_build_failed']);
    const { json } = await server.rest.get('/v1/cache/stats');
    assert.equal(Object(json).entries_by_table['svc.db.cut'], undefined);
  });

  it('whose snapshots go round in a circle is still read, as is every other', async () => {
    await rewrite('cycle', (text) => {
      const [first, second] = [...text.matchAll(/"snapshot-id":(\d+)/g)].flatMap(([, id]) => id ?? []);
      assert.notEqual(first, second);
      return text.replace(`"snapshot-id":${first},`, `"snapshot-id":${first},"parent-snapshot-id":${second},`);
    });
    for (const table of whole) assert.equal((await scan(server, warehouse.uri(table))).rowCount, '3');
  });
});

it('random damage is read or refused', async (context) => {
  const program = fileURLToPath(new URL('../python/svc_engine/tests/table_damage.py', import.meta.url));
  const seed = process.env.SVC_TEST_SEED ?? String(randomInt(2 ** 31));
  context.diagnostic(`seed ${seed}`);
  const { stdout } = await promisify(execFile)(enginePython, [program, seed, '150']);
  const { read, refused, died } = Object(JSON.parse(stdout));
  assert.equal(read + refused + died, 150);
  assert.ok(refused > 50 && died < 10, stdout);
});
