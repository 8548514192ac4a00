// Every type of Arrow, pandas, polars and R, as a stored table that is paged through, sorted, filtered, searched, summed up
// and exported. Values are random; SVC_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { enginePython } from '../scripts/setup/places.js';
import {
  browseTable,
  createEngine,
  type Engine,
  exportTable,
  summariseTable,
  type TableView,
  wholeTable,
} from '../src/engine/index.ts';
import { Refusal } from '../src/errors/index.ts';
import { engineProgram } from '../src/places.ts';
import { type FinishedCell, startCells } from './kit/cells.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';
import { createRandom } from './kit/random.ts';

const engine: Engine = createEngine({
  name: 'data',
  command: enginePython,
  args: ['-I', engineProgram, 'data'],
  log() {},
});
after(() => engine.close());

/** What has no order, by the words in its name; all else has to be sorted. */
const unordered = /list|List|Array|struct|Struct|map|inside|interval|union|tensor/;
/** What Parquet has no type for. */
const notInParquet = /interval|union/;

type Row = readonly [k: number | '', c: unknown];

async function rowsOf(view: TableView): Promise<Row[]> {
  const page = await browseTable(engine, view, 0, 500);
  assert.equal(page.rows.length, page.total);
  return page.rows.map(([k, c]) => [k as number | '', c] as const);
}

const keysOf = async (view: TableView): Promise<(number | '')[]> => (await rowsOf(view)).map(([k]) => k);
const inOrder = (keys: readonly (number | '')[], sign: number): (number | '')[] =>
  keys.toSorted((a, b) => (a === '' || b === '' ? Number(a === '') - Number(b === '') : sign * (a - b)));

/** What a call gives, or how it was refused. */
async function orRefusal<T>(call: Promise<T>): Promise<T | string> {
  return call.catch((error) => {
    assert.ok(error instanceof Refusal, String(error));
    assert.equal(error.kind, 'invalid');
    return error.message;
  });
}

async function lookThrough(name: string, file: string, target: string): Promise<void> {
  const whole = wholeTable(file);
  const rows = await rowsOf(whole);
  const keys = rows.map(([k]) => k);
  const present = rows.filter((row): row is [number, unknown] => row[0] !== '');
  // Nothing is shown as nothing, and equal values are shown alike.
  assert.deepEqual(
    rows.filter(([, c]) => c === '').map(([k]) => k),
    rows.filter(([k]) => k === '').map(([k]) => k),
  );
  const shown = new Map(present.map(([k, c]) => [k, c]));
  assert.deepEqual(
    present,
    present.map(([k]) => [k, shown.get(k)]),
  );
  const distinct = new Set(present.map(([, c]) => JSON.stringify(c)));
  assert.equal(distinct.size, shown.size);

  for (const [sortDir, sign] of [
    ['asc', 1],
    ['desc', -1],
  ] as const) {
    const sorted = await orRefusal(keysOf({ ...whole, sortBy: 'c', sortDir }));
    if (unordered.test(name)) assert.match(String(sorted), /The column 'c' holds .*, which has no order/);
    else assert.deepEqual(sorted, inOrder(keys, sign));
  }

  const filtered = (op: string, value: unknown) =>
    keysOf({ ...whole, filters: [{ col: 'c', op, value: String(value) }] });
  assert.deepEqual(
    await filtered('is_null', ''),
    keys.filter((k) => k === ''),
  );
  assert.deepEqual(
    await filtered('not_null', ''),
    keys.filter((k) => k !== ''),
  );
  for (const [asked, c] of shown) {
    const value = typeof c === 'object' ? JSON.stringify(c) : c;
    assert.deepEqual(
      await filtered('eq', value),
      keys.filter((k) => k === asked),
      `eq ${value}`,
    );
    assert.deepEqual(
      await filtered('ne', value),
      keys.filter((k) => k !== '' && k !== asked),
      `ne ${value}`,
    );
    if (unordered.test(name)) continue;
    assert.deepEqual(
      await filtered('ge', value),
      keys.filter((k) => k !== '' && k >= asked),
      `ge ${value}`,
    );
  }
  await filtered('contains', 'x');
  await rowsOf({ ...whole, search: '1' });

  const { columns } = await summariseTable(engine, file, 4, new AbortController().signal);
  const { nulls, distinct: counted, min, max, histogram } = columns[1] ?? assert.fail('no second column');
  const bounds = inOrder([...shown.keys()], 1);
  assert.equal(nulls, keys.filter((k) => k === '').length);
  assert.ok(counted === shown.size || (counted === null && unordered.test(name)), `${counted} distinct`);
  if (min !== null) assert.deepEqual([min, max], [shown.get(Number(bounds[0])), shown.get(Number(bounds.at(-1)))]);
  if (histogram)
    assert.equal(
      histogram.reduce((sum, one) => sum + one, 0),
      present.length,
    );

  assert.equal(await exportTable(engine, whole, 'csv', target), true);
  const lines = fs.readFileSync(target, 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => line.slice(0, line.indexOf(','))),
    ['"k"', ...keys.map(String)],
  );
  assert.deepEqual(
    lines.slice(1).map((line) => line.endsWith(',')),
    keys.map((k) => k === ''),
  );
  const parquet = await orRefusal(exportTable(engine, whole, 'parquet', target));
  if (notInParquet.test(name)) assert.match(String(parquet), /Parquet .* as CSV/);
  else assert.deepEqual([parquet, fs.readFileSync(target).subarray(0, 4).toString()], [true, 'PAR1']);
}

async function everyType(t: TestContext): Promise<{ names: string[]; cell: FinishedCell; folder: string } | undefined> {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return undefined;
  const cells = startCells(interpreter);
  t.after(() => cells[Symbol.asyncDispose]());
  const { seed } = createRandom((line) => t.diagnostic(line));
  const source = fs.readFileSync(new URL('./fixtures/everyType.py', import.meta.url), 'utf8');
  const wanted = Array.from({ length: 200 }, (_, at) => `table_${at}`);
  const cell = await cells.run(`seed = ${seed}\n${source}`, { wanted });
  assert.equal(cell.error, null, JSON.stringify(cell.error));
  const names = cell.displays[0]?.preview as string[];
  return { names, cell, folder: cells.folder };
}

test('a table of every type of Arrow, pandas and polars can be browsed', { timeout: 800_000 }, async (t) => {
  const made = await everyType(t);
  if (!made) return;
  const { names, cell, folder } = made;
  assert.ok(names.length > 80);
  for (const [at, name] of names.entries())
    await t.test(name, async () => {
      const { contentType, file } = cell.input(`table_${at}`);
      assert.equal(contentType, 'arrow/ipc');
      await lookThrough(name, file, path.join(folder, 'exported'));
    });
});

test('periods of pandas are what pandas calls them, in every frequency, here and in the beginning of the table', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  await using cells = startCells(interpreter);
  const frequencies = ['Y', 'Q', 'M', 'W', 'W-WED', 'D', 'h', 'min', 's', 'ms', 'us', 'ns', 'Q-JAN', '2M'];
  const source = `import pandas as pd
moments = pd.to_datetime(["2024-02-07 10:11:12.123456789", "1961-12-31 23:00:00.000000000", None])
periods = pd.DataFrame({name: pd.PeriodIndex(moments, freq=name) for name in ${JSON.stringify(frequencies)}})
words = [[None if str(one) == "NaT" else str(one) for one in row] for row in periods.values.tolist()]
words`;
  const cell = await cells.run(source, { wanted: ['periods'] });
  assert.equal(cell.error, null, JSON.stringify(cell.error));
  const expected = cell.displays[0]?.preview as unknown[][];
  const empty = expected.map((row) => row.map((value) => value ?? ''));
  assert.deepEqual(cell.variables.periods?.preview, empty);
  const { file } = cell.input('periods');
  assert.deepEqual((await browseTable(engine, wholeTable(file), 0, 5)).rows, empty);
  const sorted = await browseTable(engine, { ...wholeTable(file), sortBy: 'M', sortDir: 'asc' }, 0, 5);
  assert.deepEqual(
    sorted.rows.map((row) => row[2]),
    ['1961-12', '2024-02', ''],
  );
});

test('intervals of pandas are what pandas calls them, and are sorted as they follow each other, as ordered categories are', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  await using cells = startCells(interpreter);
  const source = `import pandas as pd
frame = pd.DataFrame({"age": [70, 5, 20, None]})
frame["group"] = pd.cut(frame["age"], [0, 9, 18, 99])
frame["half"] = pd.arrays.IntervalArray.from_tuples([(10, 20.5), (2, 3), (2, 2.5), None], closed="left")
frame["day"] = pd.interval_range(pd.Timestamp("2024-01-01"), periods=4)
frame["size"] = pd.Categorical(["large", "small", "medium", None], ["small", "medium", "large"], ordered=True)
`;
  const words = `columns = ["group", "half", "day", "size"]
[["" if pd.isna(one) else str(one) for one in row] for row in frame[columns].values.tolist()]`;
  const told = (await cells.run(`${source}${words}`)).displays[0]?.preview;
  const shown = await cells.run(`${source}frame`);
  assert.equal(shown.error, null, JSON.stringify(shown.error));
  const file = path.join(shown.outputDir, shown.displays[0]?.file ?? '');
  const rowsBy = async (sortBy: string | null) => {
    const { rows } = await browseTable(engine, { ...wholeTable(file), sortBy, sortDir: 'asc' }, 0, 5);
    return rows.map((row) => row.slice(1, 5));
  };
  assert.deepEqual(await rowsBy(null), told);
  const none = await cells.run(`${source}frame[frame["age"] > 99]`);
  const empty = wholeTable(path.join(none.outputDir, none.displays[0]?.file ?? ''));
  for (const sortBy of ['group', 'half', 'size'])
    assert.deepEqual((await browseTable(engine, { ...empty, sortBy, sortDir: 'asc' }, 0, 5)).rows, []);
  assert.deepEqual((await rowsBy('group'))[0], [
    '(0, 9]',
    '[2.0, 3.0)',
    '(2024-01-02 00:00:00, 2024-01-03 00:00:00]',
    'small',
  ]);
  assert.deepEqual(
    (await rowsBy('half')).map((row) => row[1]),
    ['[2.0, 2.5)', '[2.0, 3.0)', '[10.0, 20.5)', ''],
  );
  assert.deepEqual(
    (await rowsBy('size')).map((row) => row[3]),
    ['small', 'medium', 'large', ''],
  );
});
