// Large values between cells: written from where they lie, mapped where they are read, and never looked through for nothing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { type CellOptions, type Cells, startCells } from './kit/cells.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';
import { createRandom } from './kit/random.ts';

let shared: Cells | undefined;
after(() => shared?.[Symbol.asyncDispose]());

/** Undefined after the test was marked as skipped. */
async function needCells(t: TestContext): Promise<Cells | undefined> {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return undefined;
  shared ??= startCells(interpreter, { cells: () => [{ source: 'import numpy, pyarrow' }] });
  return shared;
}

/** What a program prints that has the runtime at hand. */
async function printed(t: TestContext, program: string): Promise<string | undefined> {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return undefined;
  const python = path.join(import.meta.dirname, '../python');
  const before = `import sys\nsys.path.insert(0, ${JSON.stringify(python)})\n`;
  return execFileSync(interpreter, ['-c', before + program], { encoding: 'utf8' }).trim();
}

const digestOf = (file: string): string => createHash('sha256').update(fs.readFileSync(file)).digest('hex');

/** Whether an address lies in the mapping of a file of this name. */
const liesIn = `
def lies_in(file, address):
    for line in open('/proc/self/maps'):
        first, _, last = line.split()[0].partition('-')
        if int(first, 16) <= address < int(last, 16):
            return line.rstrip().endswith(file)
    return False
`;

const onlyLinux = process.platform === 'linux' ? {} : { skip: 'mappings are listed on Linux alone' };

test('arrays, frames and the memory inside objects are mapped at multiples of 64 bytes', onlyLinux, async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const made = await cells.run(
    `import numpy as np, polars as pl
array = np.arange(300_000.0)
turned = np.asfortranarray(array.reshape(600, 500))
flags = np.zeros(2_000_000, bool)
held = {'weights': array, 'more': [array[::2]]}
frame = pl.DataFrame({'a': array})`,
    { wanted: ['array', 'turned', 'flags', 'held', 'frame'] },
  );
  assert.equal(made.error, null);
  const inputs = Object.fromEntries(
    ['array', 'turned', 'flags', 'held', 'frame'].map((name) => [name, made.input(name)]),
  );
  const read = await cells.run(
    `${liesIn}
found = {
    'array': array, 'turned': turned, 'flags': flags,
    'weights': held['weights'], 'more': held['more'][0], 'frame': frame['a'].to_numpy(),
}
{name: [lies_in(f'/{file}', value.ctypes.data), name == 'frame' or value.ctypes.data % 64] for (name, value), file in
 zip(found.items(), ['array.arrow', 'turned.arrow', 'flags.arrow', 'held.pickle', 'held.pickle', 'frame.arrow'])}`,
    { inputs },
  );
  assert.equal(read.error, null);
  assert.deepEqual(read.displays[0]?.preview, {
    array: [true, 0],
    turned: [true, 0],
    flags: [true, 0],
    weights: [true, 0],
    more: [true, 0],
    frame: [true, true],
  });
});

test('a cell that writes to its input changes neither the file nor what others get', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const made = await cells.run("import numpy as np\na = np.zeros(300_000)\nb = {'a': np.zeros(300_000)}", {
    wanted: ['a', 'b'],
  });
  const inputs = { a: made.input('a'), b: made.input('b') };
  const before = [digestOf(inputs.a.file), digestOf(inputs.b.file)];
  const wrote = await cells.run("a += 1\nb['a'] += 1\n[int(a.sum()), int(b['a'].sum())]", { inputs });
  assert.deepEqual([wrote.error, wrote.displays[0]?.preview], [null, [300_000, 300_000]]);
  assert.deepEqual(wrote.mutationWarnings.map((warning) => warning.var_name).sort(), ['a', 'b']);
  assert.deepEqual([digestOf(inputs.a.file), digestOf(inputs.b.file)], before);
  const read = await cells.run("[int(a.sum()), int(b['a'].sum())]", { inputs });
  assert.deepEqual(read.displays[0]?.preview, [0, 0]);
});

test('the same object gives the same bytes in another process', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source =
    "import numpy as np\nn = np.arange(90_000.0)\nx = {'n': n, 'again': n, 'turned': n.reshape(300, 300).T, 's': {'a'}}";
  const digest = async () => (await cells.run(source, { wanted: ['x'] })).variables.x?.sha256;
  assert.equal(await digest(), await digest());
});

test('objects without much memory are one plain pickle, and files of earlier versions are read', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const small = await cells.run('import numpy as np\nx = (1, np.arange(3))', { wanted: ['x'], codec: 'pickle' });
  const shown = await cells.run(
    `import pickle
envelope = pickle.load(open(${JSON.stringify(small.input('x').file)}, 'rb'))
value = pickle.loads(envelope.pop('payload'))
[envelope, value[0], value[1].tolist()]`,
  );
  assert.deepEqual(shown.displays[0]?.preview, [{ format: 'svc.pickle.v1', codec: 'pickle' }, 1, [0, 1, 2]]);
  const folder = path.join(cells.folder, 'earlier');
  fs.mkdirSync(folder);
  const written = await cells.run(
    `import json, pickle, numpy as np, pyarrow as pa, pyarrow.ipc
folder = ${JSON.stringify(folder)}
array = np.arange(90_000.0)
with open(folder + '/object', 'wb') as file:
    pickle.dump({'format': 'svc.pickle.v1', 'codec': 'pickle', 'payload': pickle.dumps({'n': array}, 5)}, file, 5)
for name, column, shape, dtype in [
    ('array', pa.array(array), [300, 300], '<f8'),
    ('flags', pa.array([True, False]), [2], '|b1'),
    ('days', pa.array(np.array(['2020-01-01'], 'M8[D]')), [1], '<M8[D]'),
]:
    tags = {'svc.arrow.shape': 'tensor', 'svc.arrow.source': 'numpy.ndarray', 'svc.arrow.tensor.shape': json.dumps(shape), 'svc.arrow.tensor.dtype': dtype}
    table = pa.table({'values': column}).replace_schema_metadata(tags)
    with pa.OSFile(f'{folder}/{name}', 'wb') as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)`,
  );
  assert.equal(written.error, null);
  const input = (contentType: string, name: string) => ({ contentType, file: path.join(folder, name) });
  const read = await cells.run(
    "[int(earlier['n'].sum()), int(array[299, 299]), flags.tolist(), str(days[0]), array.shape == (300, 300)]",
    {
      inputs: {
        earlier: input('pickle/object', 'object'),
        array: input('arrow/ipc', 'array'),
        flags: input('arrow/ipc', 'flags'),
        days: input('arrow/ipc', 'days'),
      },
    },
  );
  assert.equal(read.error, null);
  assert.deepEqual(read.displays[0]?.preview, [4_049_955_000, 89_999, [true, false], '2020-01-01', true]);
});

test('a file that was cut short says so', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const made = await cells.run("import numpy as np\nx = {'n': np.zeros(90_000)}", { wanted: ['x'] });
  fs.truncateSync(made.input('x').file, 100_000);
  const { error } = await cells.run('x', { inputs: { x: made.input('x') } });
  assert.match(error?.message ?? '', /cut short; run the cell that makes it again/);
});

test('instances of lent classes have their memory mapped too', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source = 'class Model:\n    pass\n';
  const slice = { moduleName: 'nb_n_c_1', kind: 'class', source, provenanceHash: 'abc', injected: {} } as const;
  const made = await cells.run(
    `import numpy as np\n${source}model = Model()\nmodel.weights = np.arange(90_000.0)\nmodel.name = 'm'`,
    { wanted: ['Model', 'model'], moduleSlices: { Model: slice } },
  );
  assert.equal(made.variables.model?.content_type, 'module/cell-instance');
  const read = await cells.run(
    'model.weights[0] = 5\n[model.name, int(model.weights[0]), int(model.weights[89_999]), model.weights.ctypes.data % 64]',
    { inputs: { model: made.input('model') } },
  );
  assert.equal(read.error, null);
  assert.deepEqual(read.displays[0]?.preview, ['m', 5, 89_999, 0]);
});

test('columns of objects in a polars frame are refused, not stored as addresses', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { variables } = await cells.run(
    "import polars as pl\nx = pl.DataFrame({'o': pl.Series([{1}, {2}], dtype=pl.Object)})",
    { wanted: ['x'] },
  );
  assert.equal(variables.x?.content_type, 'error');
  assert.match(variables.x?.error ?? '', /Object/);
});

test('an object that is too large for its place is given up before it is copied', async (t) => {
  const answer = await printed(
    t,
    `
import numpy as np, pickle, tempfile
from svc_runtime.values import choice
class Counted:
    made = 0
    def __reduce__(self):
        Counted.made += 1
        return bytearray, (pickle.PickleBuffer(bytearray(100_000)),)
record = choice.store_variable('x', [Counted() for _ in range(50)], {}, tempfile.mkdtemp(), 'pickle', most=250_000)
print(record['content_type'], Counted.made)`,
  );
  if (answer !== undefined) assert.equal(answer, 'error 3');
});

test('storing numbers imports no package that the cell did not load', async (t) => {
  const answer = await printed(
    t,
    `
import numpy as np, tempfile
from svc_runtime.values import choice
for value in (np.zeros(5), np.float64(1.5), np.int32(3), np.bool_(True), np.array([True]), {'a': np.zeros(9000)}):
    assert 'file' in choice.store_variable('x', value, {}, tempfile.mkdtemp(), 'pickle')
print(sorted({'pandas', 'polars', 'torch'} & {*sys.modules}))`,
  );
  if (answer !== undefined) assert.equal(answer, '[]');
});

test('looking for changes copies little of a large array, however it lies', async (t) => {
  const answer = await printed(
    t,
    `
import numpy as np, resource
from svc_runtime import mutation
def array(*shape): return np.zeros(shape)  # the system gives memory for it only where it is written to
length = 64 * 1024 * 1024
layouts = {
    'flat': array(length), 'rows': array(64 * 1024, 1024), 'turned': array(64 * 1024, 1024).T,
    'narrow': array(4 * 1024 * 1024, 16).T, 'gaps': array(length)[::2], 'held': {'a': array(length), 'b': [array(length)[5:]]},
}
def resident(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = resident()
samples = {name: mutation.fingerprint(value) for name, value in layouts.items()}
grown = (resident() - before) * (1 if sys.platform == 'darwin' else 1024)
assert grown < length, grown  # an eighth of one of them
assert all(mutation.fingerprint(value) == samples[name] for name, value in layouts.items())
layouts['rows'][:, 5] = 1
layouts['turned'][:, 10_000:20_000] = 1
layouts['narrow'][3] = 1
layouts['gaps'][-1] = 1
layouts['held']['b'][0][0] = 1
print([name for name, value in layouts.items() if mutation.fingerprint(value) != samples[name]])`,
  );
  if (answer !== undefined) assert.equal(answer, "['rows', 'turned', 'narrow', 'gaps', 'held']");
});

test('a prompt shows the numbers of a large array in the order of its rows', async (t) => {
  const answer = await printed(
    t,
    `
import numpy as np, os, tempfile
from svc_engine import prompt_tables
from svc_runtime.values import choice
n = np.arange(240_000).reshape(20, 30, 400)
folder = tempfile.mkdtemp()
for value in (np.asfortranarray(n), n % 2_000_000 == 0, np.zeros(2_000_000, bool)):
    record = choice.store_variable('x', value, {}, folder, 'pickle')
    print(prompt_tables.read_arrow(os.path.join(folder, record['file'])))`,
  );
  if (answer === undefined) return;
  assert.deepEqual(answer.split('\n'), [
    'ndarray shape=(20, 30, 400) dtype=<i8',
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]',
    'ndarray shape=(20, 30, 400) dtype=|b1',
    '[True, False, False, False, False, False, False, False, False, False, ...]',
    'ndarray shape=(2000000,) dtype=|b1',
    '[False, False, False, False, False, False, False, False, False, False, ...]',
  ]);
});

/** What the runtime asks of torch, with a tensor that says that it lies on a GPU; what moves to the CPU is counted. */
const torchWithGpu = `
import numpy as np, tempfile, types
from svc_runtime.values import choice
class Device:
    def __init__(self, type): self.type = type
    def __str__(self): return self.type if self.type == 'cpu' else f'{self.type}:0'
class Tensor:
    __slots__ = ('array', 'device', '__dict__')
    layout, dtype, requires_grad, is_quantized, is_nested, _backward_hooks = 'torch.strided', 'torch.float64', False, False, False, None
    moved = 0
    def __init__(self, array, device): self.array, self.device = array, Device(device)
    shape = property(lambda self: self.array.shape)
    nbytes = property(lambda self: self.array.nbytes)
    def is_conj(self): return False
    def is_neg(self): return False
    def numpy(self):
        assert self.device.type == 'cpu'
        return self.array
    def cpu(self):
        Tensor.moved += 1
        return Tensor(self.array, 'cpu')
Tensor.__module__ = 'torch'
sys.modules['torch'] = types.SimpleNamespace(Tensor=Tensor)
sys.stderr = sys.stdout
def store(name, value, **more): return choice.store_variable(name, value, {}, tempfile.mkdtemp(), 'pickle', **more)['content_type']
`;

test('a tensor of a GPU is stored from the CPU, and its cell is told', async (t) => {
  const answer = await printed(
    t,
    `${torchWithGpu}
print(store('weights', Tensor(np.zeros(3), 'cuda')), store('here', Tensor(np.zeros(3), 'cpu')), Tensor.moved)`,
  );
  if (answer === undefined) return;
  assert.deepEqual(answer.split('\n'), [
    "svc: 'weights' was on cuda:0 and is stored from the CPU: other cells get it there, and move it with .to()",
    'arrow/ipc arrow/ipc 1',
  ]);
});

test('a tensor of a GPU stays there when it is only described, or has no room', async (t) => {
  const answer = await printed(
    t,
    `${torchWithGpu}
large = Tensor(np.zeros(500_000), 'cuda')
print(choice.preview_variable('large', large, {}, 'pickle')['preview'], store('large', large, most=1000), Tensor.moved)`,
  );
  if (answer !== undefined) assert.equal(answer, 'Tensor shape=(500000,) dtype=float64 error 0');
});

test('long lists and dictionaries are not looked through to see what they hold', async (t) => {
  const answer = await printed(
    t,
    `
import tracemalloc, types
from svc_runtime.values import choice
numbers = list(range(1_000_000))
pairs = {str(number): [] for number in range(200_000)}
held = types.SimpleNamespace(numbers=numbers, pairs=pairs)
made = {'numbers': numbers, 'pairs': pairs, 'held': held}
tracemalloc.start()
for name in made:
    choice.sharing({name: made[name]}, {name}, [], 'pickle')
print(tracemalloc.get_traced_memory()[1] < 2_000_000)`,
  );
  if (answer !== undefined) assert.equal(answer, 'True');
});

test('what a cell makes again is the file that it was, and what differs anywhere is written whole', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const random = createRandom((line) => t.diagnostic(line));
  const make = (change: string) => `import numpy as np\nx = np.arange(400_000.0)\n${change}`;
  const first = await cells.run(make(''), { wanted: ['x'] });
  const { file } = first.input('x');
  const known = { x: { file, sha256: digestOf(file) } };
  const again = async (change: string, options: CellOptions = {}) => {
    const run = await cells.run(make(change), { wanted: ['x'], known, ...options });
    assert.equal(run.error, null);
    const made = run.input('x').file;
    assert.equal(run.variables.x?.sha256, digestOf(made));
    assert.equal(run.variables.x?.bytes, fs.statSync(made).size);
    const plain = await cells.run(make(change), { wanted: ['x'] });
    assert.equal(run.variables.x?.sha256, plain.variables.x?.sha256, change);
    return fs.statSync(made).ino === fs.statSync(file).ino;
  };
  assert.equal(await again(''), true);
  const changes = Array.from({ length: 8 }, () => `x[${random.below(400_000)}] = -1`);
  for (const change of ['x[0] = 1', 'x[-1] = 0', 'x = x[:-1]', 'x = np.append(x, 1)', 'x = x[:10]', ...changes])
    assert.equal(await again(change), false, change);
  fs.renameSync(file, `${file}.gone`);
  fs.writeFileSync(file, '');
  assert.equal(await again(''), false);
  fs.rmSync(file);
  assert.notEqual((await cells.run(make(''), { wanted: ['x'], known })).variables.x?.file, undefined);
});
