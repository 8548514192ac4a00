// Values on their way from one cell to the next: each comes back as what it was, and its record says what it is.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { ModuleSlice } from '../src/runtimes/index.ts';
import { type Cells, startCells } from './kit/cells.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';
import { createRandom } from './kit/random.ts';

let shared: Cells | undefined;
after(() => shared?.[Symbol.asyncDispose]());

/** Undefined after the test was marked as skipped. */
async function needCells(t: TestContext): Promise<Cells | undefined> {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return undefined;
  shared ??= startCells(interpreter, { cells: () => [{ source: 'import numpy, pandas, pyarrow' }] });
  return shared;
}

test('a cell whose result cannot be shown because the storage fails has failed', async (t) => {
  const cells = await needCells(t);
  if (!cells) return;
  const outputDir = path.join(cells.folder, 'nowhere');
  for (const source of ['1 + 1', 'display([1])', 'import pandas\npandas.DataFrame({"a": [1]})']) {
    const { error, stderr } = await cells.run(source, { outputDir });
    const reason = `what the cell made could not be stored: [Errno 2] No such file or directory: '${outputDir}/__display__0`;
    assert.ok(error?.message.startsWith(reason), `${source}: ${error?.message}`);
    assert.equal(stderr, '');
  }
});

/** Name, source that makes `x`, content type, and what the next cell has to find true of it. */
const roundTrips: readonly (readonly [string, string, string, string])[] = [
  ['a large integer', 'x = 2 ** 100', 'json/object', 'x == 2 ** 100 and type(x) is int'],
  ['a float that is whole', 'x = 1.0', 'json/object', 'x == 1.0 and type(x) is float'],
  ['not a number', "x = float('nan')", 'json/object', 'x != x'],
  ['text with a lone surrogate', "x = 'a\\ud800ü'", 'json/object', "x == 'a\\ud800ü'"],
  ['nested plain data', "x = {'a': [1, 2.5, None, True, {'b': 'c'}]}", 'json/object', "x['a'][4] == {'b': 'c'}"],
  ['many numbers', 'x = list(range(200_000))', 'json/object', 'x == list(range(200_000))'],
  ['an integer of 5000 digits', 'x = 10 ** 5000', 'pickle/object', 'x == 10 ** 5000'],
  ['a tuple', 'x = (1, 2)', 'pickle/object', 'x == (1, 2)'],
  ['a list of tuples', 'x = [(1, 2)]', 'pickle/object', 'x == [(1, 2)]'],
  ['keys that are numbers', 'x = {1: 2}', 'pickle/object', 'x == {1: 2}'],
  ['a set', "x = {'a', 'b'}", 'pickle/object', "x == {'a', 'b'}"],
  ['a path', "from pathlib import Path; x = Path('a')", 'pickle/object', "str(x) == 'a'"],
  ['a cycle', 'x = []; x.append(x)', 'pickle/object', 'x[0] is x'],
  ['a lambda', 'n = 2; x = lambda a: a + n', 'pickle/object', 'x(1) == 3'],
  ['a class of the cell', 'class C:\n  a = 1\nx = C()', 'pickle/object', 'x.a == 1'],
  ['an enum of the cell', 'import enum\nclass E(enum.Enum):\n  A = 1\nx = E.A', 'pickle/object', "x.name == 'A'"],
  [
    'an array that knows more than its numbers',
    `import numpy as np
class Measured(np.ndarray):
  def __reduce__(self): return measured, (self.tolist(), self.unit)
def measured(numbers, unit):
  made = np.array(numbers).view(Measured)
  made.unit = unit
  return made
x = measured([1.0, 2.0], 'km')`,
    'pickle/object',
    "(type(x).__name__, x.unit, x.sum()) == ('Measured', 'km', 3.0)",
  ],
  ['a module', 'import json as x', 'module/import', "x.dumps(1) == '1'"],
  ['a submodule', 'import os.path as x', 'module/import', "x.join('a', 'b') == 'a/b'"],
  [
    'a moment',
    'import datetime as d; x = d.datetime(2020, 1, 2, 3, 4, 5, 6)',
    'arrow/ipc',
    'str(x) == "2020-01-02 03:04:05.000006"',
  ],
  [
    'a moment with its zone',
    'import datetime as d; x = d.datetime(2020, 1, 2, tzinfo=d.timezone.utc)',
    'arrow/ipc',
    'x.utcoffset().total_seconds() == 0',
  ],
  ['a date', 'import datetime as d; x = d.date(2020, 1, 2)', 'arrow/ipc', 'str(x) == "2020-01-02"'],
  ['a time', 'import datetime as d; x = d.time(1, 2, 3)', 'arrow/ipc', 'str(x) == "01:02:03"'],
  [
    'a duration',
    'import datetime as d; x = d.timedelta(days=1, microseconds=1)',
    'arrow/ipc',
    'x.total_seconds() == 86400.000001',
  ],
  ['a decimal', "from decimal import Decimal; x = Decimal('1.10')", 'arrow/ipc', "str(x) == '1.10'"],
  ['bytes', "x = b'\\x00\\xff'", 'arrow/ipc', "x == b'\\x00\\xff' and type(x) is bytes"],
  ['a bytearray', "x = bytearray(b'ab')", 'arrow/ipc', "x == bytearray(b'ab') and type(x) is bytearray"],
  ['a UUID', 'import uuid; x = uuid.UUID(int=5)', 'arrow/ipc', 'x.int == 5'],
  ['a complex number', 'x = 1 + 2j', 'arrow/ipc', 'x == 1 + 2j'],
  ['a numpy scalar', 'import numpy as np; x = np.float32(1.5)', 'arrow/ipc', 'x == 1.5'],
  [
    'a numpy array',
    'import numpy as np; x = np.arange(6).reshape(2, 3)',
    'arrow/ipc',
    "x.tolist() == [[0, 1, 2], [3, 4, 5]] and str(x.dtype) == 'int64'",
  ],
  [
    'a numpy array that is written to',
    'import numpy as np; x = np.zeros(3)',
    'arrow/ipc',
    'x.__setitem__(0, 5) or x.tolist() == [5.0, 0.0, 0.0]',
  ],
  [
    'booleans',
    'import numpy as np; x = np.array([True, False])',
    'arrow/ipc',
    "x.tolist() == [True, False] and str(x.dtype) == 'bool'",
  ],
  ['complex arrays', 'import numpy as np; x = np.array([1 + 2j, 3])', 'arrow/ipc', 'x.tolist() == [1 + 2j, 3]'],
  [
    'moments in an array',
    "import numpy as np; x = np.array(['2020-01-01'], dtype='datetime64[ns]')",
    'arrow/ipc',
    "str(x[0])[:10] == '2020-01-01'",
  ],
  [
    'days in an array',
    "import numpy as np; x = np.array(['2020-01-01', 'NaT', '0001-01-01'], dtype='datetime64[D]')",
    'arrow/ipc',
    "x.astype(str).tolist() == ['2020-01-01', 'NaT', '0001-01-01'] and str(x.dtype) == 'datetime64[D]'",
  ],
  [
    'days that arrow has no number for',
    "import numpy as np; x = np.array([2 ** 40], dtype='datetime64[D]')",
    'pickle/object',
    'int(x.view("i8")[0]) == 2 ** 40',
  ],
  [
    'a large array in the order of Fortran',
    'import numpy as np; x = np.asfortranarray(np.arange(400_000).reshape(2, 500, 400))',
    'arrow/ipc',
    'bool(x[1, 2, 3] == 200_803 and (x.reshape(-1)[:5] == range(5)).all() and x.flags.f_contiguous)',
  ],
  [
    'an array with gaps',
    'import numpy as np; x = np.arange(12).reshape(3, 4)[::2, ::3]',
    'arrow/ipc',
    'x.tolist() == [[0, 3], [8, 11]]',
  ],
  [
    'many booleans',
    'import numpy as np; x = np.arange(2_000_000) % 3 == 0',
    'arrow/ipc',
    "str(x.dtype) == 'bool' and int(x.sum()) == 666_667 and x[:4].tolist() == [True, False, False, True]",
  ],
  [
    'arrays of all kinds inside an object',
    `import numpy as np
n = np.arange(40_000).reshape(200, 200)
still = n.copy(); still.flags.writeable = False
x = (n, np.asfortranarray(n), n[::2, ::2], still, n.astype([('a', 'i8')]), np.array(['a'] * 9000), np.array([{1}], object), n[:0], np.array(7))`,
    'pickle/object',
    `n = x[0]
[v.shape for v in x] == [(200, 200), (200, 200), (100, 100), (200, 200), (200, 200), (9000,), (1,), (0, 200), ()] and bool(
  n[3, 4] == 604 == x[1][3, 4] == x[3][3, 4] == x[4]['a'][3, 4] and x[2][1, 1] == 402 and x[5][8999] == 'a' and x[6][0] == {1}
  and x[8] == 7 and x[1].flags.f_contiguous and n.flags.writeable and not x[3].flags.writeable)`,
  ],
  [
    'an object with memory that is written to',
    "import numpy as np; x = {'n': np.zeros(9000)}",
    'pickle/object',
    "x['n'].__setitem__(0, 5) or x['n'][:2].tolist() == [5.0, 0.0]",
  ],
  ['NaN in an array', 'import numpy as np; x = np.array([1.0, np.nan])', 'arrow/ipc', 'x[0] == 1 and x[1] != x[1]'],
  ['an array without dimension', 'import numpy as np; x = np.array(5)', 'arrow/ipc', 'x.shape == () and x == 5'],
  ['an empty array', 'import numpy as np; x = np.zeros((0, 3))', 'arrow/ipc', 'x.shape == (0, 3)'],
  ['an array of text', "import numpy as np; x = np.array(['a', 'bc'])", 'pickle/object', "x.tolist() == ['a', 'bc']"],
  [
    'a data frame',
    "import pandas as pd; x = pd.DataFrame({'a': [1, 2], 'b': ['x', None]})",
    'arrow/ipc',
    "list(x.a) == [1, 2] and x.b[0] == 'x'",
  ],
  [
    'a data frame with an index',
    "import pandas as pd; x = pd.DataFrame({'a': [1, 2]}, index=pd.Index(['p', 'q'], name='k'))",
    'arrow/ipc',
    "x.loc['q', 'a'] == 2 and x.index.name == 'k'",
  ],
  [
    'a data frame of mixed types',
    "import pandas as pd; x = pd.DataFrame({'a': [1, 'x', {2}]})",
    'pickle/object',
    'x.a[2] == {2}',
  ],
  [
    'a data frame that is written to',
    "import pandas as pd; x = pd.DataFrame({'a': [1.0, 2.0]})",
    'arrow/ipc',
    "x.__setitem__('a', x.a + 1) or x.loc.__setitem__((0, 'a'), 9) or list(x.a) == [9.0, 3.0]",
  ],
  [
    'a large data frame',
    "import pandas as pd, numpy as np; n = np.arange(20_000); x = pd.DataFrame({'a': n, 'b': n / 2, 's': 'x', 'c': pd.Categorical(['u', 'v'] * 10_000), 'm': np.where(n % 2, np.nan, n)}, index=n * 2)",
    'arrow/ipc',
    "import pandas as pd, numpy as np\nn = np.arange(20_000)\npd.testing.assert_frame_equal(x, pd.DataFrame({'a': n, 'b': n / 2, 's': 'x', 'c': pd.Categorical(['u', 'v'] * 10_000), 'm': np.where(n % 2, np.nan, n)}, index=n * 2))\nx.loc[0, 'a'] = 7\nx.loc[0, 's'] = 'z'\nbool(x.a[0] == 7)",
  ],
  [
    'a data frame with labels of several types',
    "import pandas as pd; x = pd.DataFrame({1: [1], 'b': [2]})",
    'pickle/object',
    "list(x.columns) == [1, 'b']",
  ],
  [
    'a series',
    "import pandas as pd; x = pd.Series([1, 2], name='s')",
    'arrow/ipc',
    "list(x) == [1, 2] and x.name == 's'",
  ],
  [
    'a series of days',
    "import pandas as pd; x = pd.Series([1, 2, 3], index=pd.date_range('2026-01-01', periods=3, freq='D'))",
    'arrow/ipc',
    "x.index.freqstr == 'D' and x['2026-01-03'] == 3",
  ],
  [
    'a series of working days by a calendar of its own',
    "import pandas as pd; days = pd.offsets.CustomBusinessDay(holidays=['2026-01-02']); x = pd.Series([1, 2], index=pd.date_range('2026-01-01', periods=2, freq=days))",
    'arrow/ipc',
    "list(x) == [1, 2] and str(x.index[1].date()) == '2026-01-05'",
  ],
  [
    'a series without a name',
    'import pandas as pd; x = pd.Series([1.5])',
    'arrow/ipc',
    'x.name is None and x[0] == 1.5',
  ],
  [
    'rows without columns',
    'import pandas as pd; x = pd.DataFrame(index=range(5))',
    'pickle/object',
    'x.shape == (5, 0)',
  ],
  [
    'a polars frame',
    "import polars as pl; x = pl.DataFrame({'a': [1, 2]})",
    'arrow/ipc',
    "x['a'].to_list() == [1, 2] and type(x).__module__.startswith('polars')",
  ],
  [
    'a polars series',
    "import polars as pl; x = pl.Series('s', [1, 2])",
    'arrow/ipc',
    "x.to_list() == [1, 2] and x.name == 's'",
  ],
  [
    'a polars series without a name',
    'import polars as pl; x = pl.Series([1, 2])',
    'arrow/ipc',
    "x.to_list() == [1, 2] and x.name == ''",
  ],
  [
    'polars frames inside an object',
    "import polars as pl; x = {1: pl.DataFrame({'a': range(9000), 's': ['t'] * 9000}), 2: pl.Series('b', ['x', None])}",
    'pickle/object',
    "x[1]['a'].to_list() == list(range(9000)) and x[1]['s'][8999] == 't' and x[2].to_list() == ['x', None] and x[2].name == 'b'",
  ],
  [
    'a polars frame of many types',
    `import polars as pl, datetime as d, decimal
def make():
    return pl.DataFrame({
        'text': ['ä', None], 'kind': pl.Series(['u', 'v'], dtype=pl.Categorical), 'lists': [[1], [2, None]],
        'parts': [{'a': 1, 'b': 'x'}, None], 'money': [decimal.Decimal('1.10'), None],
        'when': pl.Series([d.datetime(2020, 1, 1)] * 2).dt.replace_time_zone('Europe/Berlin'),
        'level': pl.Series(['low', None], dtype=pl.Enum(['low', 'high'])), 'bytes': [b'a', None],
        'took': [d.timedelta(1), None], 'nothing': [None, None], 'pair': pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)),
    })
x = make()`,
    'arrow/ipc',
    `import polars as pl
kinds = dict(x.schema)
x['text'].to_list() == ['ä', None] and x['kind'].to_list() == ['u', 'v'] and x['lists'].to_list() == [[1], [2, None]] and (
  x['parts'].to_list() == [{'a': 1, 'b': 'x'}, None] and str(x['money'][0]) == '1.10' and str(x['when'].dtype.time_zone) == 'Europe/Berlin'
  and kinds['level'] == pl.Enum(['low', 'high']) and kinds['kind'] == pl.Categorical and x['pair'].to_list() == [[1, 2], [3, 4]])`,
  ],
  [
    'a polars frame in large pieces',
    "import polars as pl; x = pl.concat([pl.DataFrame({'a': range(200_000)})] * 2, rechunk=False)",
    'arrow/ipc',
    "x.height == 400_000 and x.n_chunks() == 2 and x['a'][399_999] == 199_999",
  ],
  [
    'an arrow table',
    "import pyarrow as pa; x = pa.table({'a': [1, 2]})",
    'arrow/ipc',
    "x.column('a').to_pylist() == [1, 2] and x.schema.metadata is None",
  ],
  [
    'a record batch',
    "import pyarrow as pa; x = pa.RecordBatch.from_pydict({'a': [1]})",
    'arrow/ipc',
    "type(x).__name__ == 'RecordBatch' and x.to_pydict() == {'a': [1]}",
  ],
  ['a figure', 'import matplotlib.pyplot as plt; x = plt.figure()', 'pickle/object', "type(x).__name__ == 'Figure'"],
];

for (const [what, source, contentType, check] of roundTrips) {
  test(`${what} comes back as it was`, async (t) => {
    const cells = await needCells(t);
    if (cells === undefined) return;
    const made = await cells.run(source, { wanted: ['x'] });
    assert.equal(made.error, null);
    const record = made.variables.x;
    assert.equal(record?.content_type, contentType);
    const bytes = fs.readFileSync(made.input('x').file);
    assert.equal(record?.bytes, bytes.length);
    assert.equal(record?.sha256, createHash('sha256').update(bytes).digest('hex'));
    const read = await cells.run(check, { inputs: { x: made.input('x') } });
    assert.equal(read.error, null);
    assert.equal(read.displays[0]?.preview, true);
  });
}

test('random data comes back as it was', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { seed } = createRandom((line) => t.diagnostic(line));
  const make = `
import random, datetime, decimal
r = random.Random(${seed})
def make(depth):
    kind = r.randrange(14 if depth else 9)
    if kind == 0: return r.choice([0, -1, 2 ** 63, -(2 ** 64) - 1, r.randrange(10 ** 30)])
    if kind == 1: return r.choice([0.0, -0.0, 1e308, 5e-324, 1.0, r.random(), float('inf')])
    if kind == 2: return ''.join(chr(r.choice([r.randrange(128), r.randrange(0xd000), 0xd800, 0x1f600])) for _ in range(r.randrange(8)))
    if kind == 3: return r.choice([None, True, False])
    if kind == 4: return bytes(r.randrange(256) for _ in range(r.randrange(6)))
    if kind == 5: return datetime.datetime(r.randrange(1, 9999), r.randrange(1, 13), 5, 1, 2, 3, r.randrange(10 ** 6))
    if kind == 6: return datetime.timedelta(days=r.randrange(-10 ** 6, 10 ** 6), microseconds=r.randrange(10 ** 6))
    if kind == 7: return decimal.Decimal(r.randrange(-10 ** 20, 10 ** 20)).scaleb(-r.randrange(12))
    if kind == 8: return complex(r.random(), r.randrange(5))
    if kind < 11: return [make(depth - 1) for _ in range(r.randrange(5))]
    if kind < 13: return {str(make(0)): make(depth - 1) for _ in range(r.randrange(5))}
    return tuple(make(depth - 1) for _ in range(r.randrange(4)))
`;
  const names = Array.from({ length: 100 }, (_, number) => `x${number}`);
  const assigned = names.map((name) => `${name} = make(4)`).join('\n');
  const made = await cells.run(`${make}${assigned}`, { wanted: names });
  assert.equal(made.error, null);
  const inputs = Object.fromEntries(names.map((name) => [name, made.input(name)]));
  const differing = names.map((name) => `('${name}', repr(${name}), repr(make(4)))`).join(', ');
  const read = await cells.run(`${make}[row for row in [${differing}] if row[1] != row[2]] or 'same'`, { inputs });
  assert.equal(read.error, null);
  assert.equal(read.displays[0]?.preview, 'same');
});

test('records say what the protocol says', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { variables } = await cells.run(
    `
import pandas as pd, numpy as np, datetime
df = pd.DataFrame({'a': range(100), 'b': ['x'] * 100})
arr = np.arange(6).reshape(2, 3)
when = datetime.datetime(2020, 1, 1)
pair = (1, 2)
Upper = 1
nan = float('nan')
exact = [2 ** 53 + 1, 1.0, 1e-7]
gen = (i for i in [1])
_hidden = 1
`,
    { wanted: ['df', 'arr', 'when', 'pair', 'Upper', 'nan', 'exact', 'gen'] },
  );
  const { df, arr, when, pair, gen, pd, np, Upper, nan, exact, ...rest } = variables;
  assert.deepEqual(Object.keys(rest), ['datetime']);
  assert.deepEqual(
    [df?.content_type, df?.file, df?.rows, df?.columns, Array.isArray(df?.preview) && df.preview.length],
    ['arrow/ipc', 'df.arrow', 100, ['a', 'b'], 20],
  );
  assert.deepEqual([arr?.file, arr?.preview, arr?.rows], ['arr.arrow', 'ndarray shape=(2, 3) dtype=int64', undefined]);
  assert.deepEqual([when?.content_type, when?.preview], ['arrow/ipc', '2020-01-01 00:00:00']);
  assert.deepEqual(
    [pair?.file, pair?.codec, pair?.type, pair?.preview],
    ['pair.pickle', 'cloudpickle', 'tuple', '<tuple object>'],
  );
  assert.deepEqual(gen, {
    content_type: 'error',
    error: "cannot pickle 'generator' object",
    type: 'generator',
    unkept: 'generator',
  });
  assert.deepEqual(pd, { content_type: 'module/import', preview: "<module 'pandas'>" });
  assert.equal(np?.content_type, 'module/import');
  assert.equal(Upper?.file, 'Upper-ada6d7a6.json');
  assert.deepEqual([nan?.bytes, nan?.preview], [3, null]);
  assert.equal(JSON.stringify(exact?.preview), '[9007199254740993,1.0,1e-07]');
});

test('previews are bounded', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { variables, displays } = await cells.run(`
import pandas as pd
text = 'x' * 200_000
many = list(range(1_000_000))
deep = []
for _ in range(10_000): deep = [deep]
wide = pd.DataFrame({f'column{i}': ['y' * 1000] * 20 for i in range(500)})
wide
`);
  const size = (value: unknown): number => JSON.stringify(value).length;
  assert.match(String(variables.text?.preview), /^x{2000}… \(200000 characters\)$/);
  assert.equal(variables.text?.preview_truncated, true);
  assert.match(String(variables.many?.preview), /^\[0, 1, 2, .*\.\.\.\]$/);
  for (const name of ['text', 'many', 'deep', 'wide']) assert.ok(size(variables[name]) < 100 * 1024, name);
  assert.ok(size(displays) < 100 * 1024);
});

test('only wanted variables are written', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { outputDir, variables } = await cells.run('a = 1\nb = 2', { wanted: ['b', 'missing'] });
  assert.deepEqual(fs.readdirSync(outputDir), ['b.json']);
  assert.deepEqual(variables.a, { content_type: 'json/object', preview: 1 });
});

test('an input that cannot be read fails the cell before it runs', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const file = path.join(cells.folder, 'broken.pickle');
  fs.writeFileSync(file, 'no pickle');
  const { outcome, error, stdout } = await cells.run('print(1)\nx', {
    inputs: { x: { contentType: 'pickle/object', file } },
  });
  assert.deepEqual([outcome, error?.error_type, stdout], ['error', 'InputUnreadable', '']);
  assert.match(error?.message ?? '', /^The input 'x' could not be read: UnpicklingError/);
  const unused = await cells.run('1', { inputs: { x: { contentType: 'pickle/object', file } } });
  assert.equal(unused.outcome, 'success');
});

const slice = (kind: ModuleSlice['kind'], source: string): ModuleSlice => ({
  moduleName: 'nb_n_c_1',
  kind,
  source,
  provenanceHash: 'abc',
  injected: {},
});

test('functions and classes travel as source, and their instances find them', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source = `
from dataclasses import dataclass
LIMIT = 3
@dataclass(frozen=True)
class Point:
    x: int
    def double(self): return inc(self.x) * 2
class Slotted:
    __slots__ = ('a',)
def inc(a): return a + STEP
`;
  const injectedValue = await cells.run('STEP = 1', { wanted: ['STEP'] });
  const made = await cells.run(`${source}\npoint = Point(4)\nslotted = Slotted()\nslotted.a = 7`, {
    inputs: { STEP: injectedValue.input('STEP') },
    wanted: ['Point', 'inc', 'LIMIT', 'point', 'slotted'],
    moduleSlices: {
      Point: slice('class', source),
      Slotted: slice('class', source),
      inc: slice('function', source),
      LIMIT: slice('constant', source),
    },
  });
  assert.equal(made.error, null);
  const { inc, point } = made.variables;
  assert.deepEqual(
    [inc?.content_type, inc?.file, inc?.type, inc?.preview],
    ['module/cell', 'inc.cell_module.json', 'function', '<function inc>'],
  );
  assert.deepEqual([point?.content_type, point?.file], ['module/cell-instance', 'point.cell_instance.pickle']);
  assert.deepEqual(JSON.parse(made.text(inc?.file)), {
    module_name: 'nb_n_c_1',
    symbol_name: 'inc',
    kind: 'function',
    source,
    provenance_hash: 'abc',
    injected: {},
  });
  const injected = { STEP: injectedValue.input('STEP') };
  const lent = (name: string) => ({ ...made.input(name), injected });
  const used = await cells.run(
    'out = [inc, Point(1)]\nmade = Point(9)\n[inc(1), Point(1).double(), LIMIT, isinstance(point, Point), point.x, slotted.a, point.double()]',
    {
      inputs: {
        inc: lent('inc'),
        Point: lent('Point'),
        LIMIT: lent('LIMIT'),
        point: made.input('point'),
        slotted: made.input('slotted'),
      },
      wanted: ['out', 'made'],
    },
  );
  assert.equal(used.error, null);
  assert.deepEqual(used.displays[0]?.preview, [2, 4, 3, true, 4, 7, 10]);
  assert.equal(used.variables.made?.content_type, 'module/cell-instance');
  const last = await cells.run('[out[0](1), out[1].x, made.double()]', {
    inputs: { out: used.input('out'), made: used.input('made') },
  });
  assert.equal(last.error, null);
  assert.deepEqual(last.displays[0]?.preview, [2, 1, 20]);
});

test('an array of a class of its own keeps what the class keeps beside the numbers', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  fs.writeFileSync(
    path.join(cells.folder, 'work/signals.py'),
    `import numpy
class Signal(numpy.ndarray):
    def __new__(cls, values, labels):
        signal = numpy.asarray(values).view(cls)
        signal.labels, signal.whole = labels, signal
        return signal
    def __array_finalize__(self, other):
        self.labels = getattr(other, 'labels', None)
`,
  );
  const made = await cells.run('from signals import Signal\nsignal = Signal([1.5, 2.5], ["u", "v"])', {
    wanted: ['signal'],
  });
  assert.equal(made.error, null);
  const read = await cells.run('[type(signal).__name__, signal.tolist(), signal.labels, signal.whole is signal]', {
    inputs: { signal: made.input('signal') },
  });
  assert.deepEqual(read.displays[0]?.preview, ['Signal', [1.5, 2.5], ['u', 'v'], true]);
});

test('what a library holds weakly is there in the cells below', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  fs.writeFileSync(
    path.join(cells.folder, 'work/herds.py'),
    `import weakref
class Sheep: pass
class Herd:
    def __init__(self, sheep): self.sheep = weakref.WeakSet(sheep)
    def __getstate__(self): return list(self.sheep)
    def __setstate__(self, sheep): self.__init__(sheep)
`,
  );
  const made = await cells.run('from herds import Herd, Sheep\nall_ = [Sheep(), Sheep()]\nherd = Herd(all_)', {
    wanted: ['herd'],
  });
  assert.equal(made.error, null);
  const read = await cells.run('len(herd.sheep)', { inputs: { herd: made.input('herd') } });
  assert.equal(read.displays[0]?.preview, 2);
});

test('tables and arrays are warned of when they were changed, and only then', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const made = await cells.run(
    `
import pandas as pd, numpy as np
mixed = pd.DataFrame({'n': np.arange(1000) * 10 ** 12, 's': [f'text{i}' for i in range(1000)], 'o': [i * 10 ** 20 for i in range(1000)]})
small = pd.DataFrame({'a': [1, 2]})
array = np.zeros((50, 50))
series = pd.Series(['x', 'y'])
nullable = pd.DataFrame({'i': pd.array([10 ** 12 + i for i in range(99)] + [None], dtype='Int64')})
`,
    { wanted: ['mixed', 'small', 'array', 'series', 'nullable'] },
  );
  const inputs = Object.fromEntries(
    ['mixed', 'small', 'array', 'series', 'nullable'].map((name) => [name, made.input(name)]),
  );
  const read = await cells.run(
    '[mixed.s.str.len().sum(), small.sum(), array.sum(), series.iloc[0], nullable.i.sum()]\n1',
    { inputs },
  );
  assert.equal(read.error, null);
  assert.deepEqual(read.mutationWarnings, []);
  const changed = await cells.run(
    "mixed.loc[0, 's'] = 'z'\nsmall.loc[1, 'a'] = 5\narray[0, 0] = 1\nseries.iloc[0] = 'w'",
    { inputs },
  );
  assert.equal(changed.error, null);
  assert.deepEqual(changed.mutationWarnings.map((warning) => warning.var_name).sort(), [
    'array',
    'mixed',
    'series',
    'small',
  ]);
});

test('the plain codec takes what importable modules define, and says what it cannot take', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const made = await cells.run('x = (1, 2)\nf = lambda: 1', { wanted: ['x', 'f'], codec: 'pickle' });
  assert.equal(made.variables.x?.codec, 'pickle');
  assert.equal(made.variables.f?.content_type, 'error');
  assert.match(made.variables.f?.error ?? '', /pickle/i);
});

test('the same cell gives the same bytes', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source = "import pandas as pd\nx = {'a', 'b', 'c'}\ny = pd.DataFrame({'a': [1, 2]})\nz = {'k': [1.5]}";
  const options = { wanted: ['x', 'y', 'z'] };
  const digests = async (): Promise<unknown> => {
    const { variables } = await cells.run(source, options);
    return options.wanted.map((name) => variables[name]?.sha256);
  };
  assert.deepEqual(await digests(), await digests());
});

test('frames of numbers become the very tables that pyarrow makes of them', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  const program = `
import sys
sys.path.insert(0, ${JSON.stringify(path.join(import.meta.dirname, '../python'))})
import numpy as np, pandas as pd, pyarrow as pa
from svc_runtime.values.pandas_frames import to_table
numbers = np.arange(12.0).reshape(4, 3)
with_gaps = numbers.copy()
with_gaps[1, 2] = np.nan
frames = {
    "floats": pd.DataFrame(numbers, columns=list("abc")),
    "gaps": pd.DataFrame(with_gaps, columns=list("abc")),
    "kinds": pd.DataFrame({kind: np.arange(3, dtype=kind) for kind in ("int8", "uint16", "float32", "int64", "uint64")}),
    "strided": pd.DataFrame(numbers, columns=list("abc"))[::2].reset_index(drop=True),
    "attributes": pd.DataFrame({"a": [1.0]}),
    "empty": pd.DataFrame({"a": np.array([], dtype="float64")}),
    "other index": pd.DataFrame({"a": [1.0, 2.0]}, index=[5, 7]),
    "later range": pd.DataFrame({"a": [1.0, 2.0, 3.0]})[1:],
    "labels": pd.DataFrame({0: [1.0], "b": [2.0]}),
    "named columns": pd.DataFrame({"a": [1.0]}).rename_axis(columns="letters"),
    "mixed": pd.DataFrame({"a": [1.0], "b": ["x"], "c": [True]}),
}
frames["attributes"].attrs["unit"] = "m"
for name, frame in frames.items():
    ours, theirs = to_table(frame), pa.Table.from_pandas(frame)
    assert ours.schema.equals(theirs.schema, check_metadata=True), name
    assert ours.equals(theirs), name
print(len(frames))`;
  assert.equal(execFileSync(interpreter, ['-c', program], { encoding: 'utf8' }), '11\n');
});

test('values that nobody reads are kept as long as there is room for them, and described otherwise', async (t) => {
  const cells = await needCells(t);
  if (!cells) return;
  const source =
    'import pandas as pd\nsmall = [1]\ntext = "x" * 9000\nframe = pd.DataFrame({"a": range(9000)})\nobjects = {(1, 2): "y" * 9000}\n' +
    'half, more, little = "x" * 5000, "x" * 5000, "x" * 50';
  const { variables } = await cells.run(source, { keepsBytes: 8000 });
  const facts = Object.entries(variables).map(([name, { content_type, file }]) => [
    name,
    content_type,
    file !== undefined,
  ]);
  assert.deepEqual(facts, [
    ['pd', 'module/import', true],
    ['small', 'json/object', true],
    ['text', 'json/object', false],
    ['frame', 'arrow/ipc', false],
    ['objects', 'pickle/object', false],
    ['half', 'json/object', true],
    ['more', 'json/object', false],
    ['little', 'json/object', true],
  ]);
  const many = await cells.run('for i in range(500): globals()[f"v{i}"] = i', { keepsBytes: 8000 });
  assert.equal(Object.values(many.variables).filter(({ file }) => file !== undefined).length, 200);
});

test('a class that tells nothing of itself does not fail its cell', async (t) => {
  const cells = await needCells(t);
  if (!cells) return;
  const source =
    'class Odd(type):\n    @property\n    def __module__(cls): raise OSError\nclass Made(metaclass=Odd): ...\nmade = Made()';
  const { outcome, types } = await cells.run(source);
  assert.deepEqual([outcome, types?.made], ['success', 'object']);
});
