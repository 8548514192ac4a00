// Tensors between cells. Torch is too large to be fetched for tests: they run where SVC_TEST_TORCH_PYTHON names an interpreter
// that has it (with numpy, pyarrow and cloudpickle), and say so where it does not.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { type Cells, startCells } from './kit/cells.ts';

const interpreter = process.env.SVC_TEST_TORCH_PYTHON;
let shared: Cells | undefined;
after(() => shared?.[Symbol.asyncDispose]());

/** Undefined after the test was marked as skipped. */
function needCells(t: TestContext): Cells | undefined {
  if (interpreter === undefined) {
    t.skip('SVC_TEST_TORCH_PYTHON names no interpreter with torch');
    return undefined;
  }
  shared ??= startCells(interpreter);
  return shared;
}

/** Name, expression that makes the tensor, content type, and what the next cell has to find true of it. */
const tensors: readonly (readonly [string, string, string, string])[] = [
  ['numbers', 'torch.arange(300_000.0)', 'arrow/ipc', 'x[-1] == 299_999 and x.dtype == torch.float32'],
  ['turned', 'torch.arange(300_000.0).view(600, 500).t()', 'arrow/ipc', 'x[3, 2] == 1003 and x.stride() == (1, 500)'],
  ['with gaps', 'torch.arange(100).view(10, 10)[::2, ::3]', 'arrow/ipc', 'x[1].tolist() == [20, 23, 26, 29]'],
  ['one number', 'torch.tensor(5.0)', 'arrow/ipc', 'x.shape == () and x == 5'],
  ['no number', 'torch.zeros(0, 3)', 'arrow/ipc', 'x.shape == (0, 3)'],
  ['booleans', 'torch.arange(2_000_000) % 3 == 0', 'arrow/ipc', 'x.dtype == torch.bool and x.sum() == 666_667'],
  ['with a gradient', 'torch.ones(9000, requires_grad=True)', 'pickle/object', 'x.requires_grad and x.sum() == 9000'],
  [
    'few with a gradient',
    'torch.ones(2, requires_grad=True)',
    'pickle/object',
    'x.requires_grad and x.tolist() == [1, 1]',
  ],
  ['bfloat16', 'torch.ones(9000).bfloat16()', 'pickle/object', 'x.dtype == torch.bfloat16 and x.float().sum() == 9000'],
  ['sparse', 'torch.eye(3000).to_sparse()', 'pickle/object', 'x.is_sparse and x.to_dense().trace() == 3000'],
  ['without data', "torch.empty(3, device='meta')", 'pickle/object', "x.device.type == 'meta' and x.shape == (3,)"],
  [
    'a parameter',
    'torch.nn.Parameter(torch.ones(9000))',
    'pickle/object',
    'type(x) is torch.nn.Parameter and x.requires_grad',
  ],
  [
    'views of one storage',
    '(lambda n: [n, n[5000:], n.view(100, 100).t()])(torch.arange(10_000.0))',
    'pickle/object',
    'x[0].__setitem__(5000, -1.0) or (x[1][0] == -1 and x[2][0, 50] == -1)',
  ],
  [
    'a model with tied weights',
    '(lambda m: (setattr(m[1], "weight", m[0].weight), m)[1])(torch.nn.Sequential(*[torch.nn.Linear(100, 100) for _ in "ab"]))',
    'pickle/object',
    'x[0].weight is x[1].weight and x(torch.ones(1, 100)).sum().backward() is None and x[0].weight.grad is not None',
  ],
  [
    'the state of a model',
    'torch.nn.Linear(100, 100).state_dict()',
    'pickle/object',
    'torch.nn.Linear(100, 100).load_state_dict(x) is not None and x["weight"].data_ptr() % 64 == 0',
  ],
];

for (const [what, source, contentType, check] of tensors) {
  test(`${what} comes back as it was, from another process with the same bytes`, async (t) => {
    const cells = needCells(t);
    if (cells === undefined) return;
    const options = { cellId: 'made', wanted: ['x'] };
    const make = () => cells.run(`import torch\ntorch.manual_seed(0)\nx = ${source}`, options);
    const made = await make();
    assert.deepEqual([made.error, made.stderr], [null, '']);
    assert.equal(made.variables.x?.content_type, contentType);
    const read = await cells.run(`import torch\nbool(${check})`, { inputs: { x: made.input('x') } });
    assert.deepEqual([read.error, read.displays[0]?.preview], [null, true]);
    if (what !== 'without data') assert.equal((await make()).variables.x?.sha256, made.variables.x?.sha256);
  });
}

test('a model that is trained where it was read is warned of, one that is only used is not', async (t) => {
  const cells = needCells(t);
  if (cells === undefined) return;
  const made = await cells.run('import torch\nmodel = torch.nn.Sequential(torch.nn.Linear(100, 100))', {
    wanted: ['model'],
  });
  const inputs = { model: made.input('model') };
  const used = await cells.run('import torch\nmodel.eval()\nmodel(torch.ones(1, 100)).shape[1]', { inputs });
  assert.deepEqual([used.error, used.mutationWarnings], [null, []]);
  const trained = await cells.run(
    'import torch\nmodel(torch.ones(1, 100)).sum().backward()\ntorch.optim.SGD(model.parameters(), 1.0).step()',
    { inputs },
  );
  assert.deepEqual([trained.error, trained.mutationWarnings.map((warning) => warning.var_name)], [null, ['model']]);
});

test('an optimiser trains the model that another cell reads beside it, in functions of other cells too', async (t) => {
  const cells = needCells(t);
  if (!cells) return;
  const made = await cells.run('import torch\ntorch.manual_seed(0)\nmodel = torch.nn.Linear(2, 1)', {
    wanted: ['model'],
  });
  const prepared = await cells.run(
    'import torch\noptimizer = torch.optim.Adam(model.parameters(), lr=0.1)\nscheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)',
    { inputs: { model: made.input('model') }, wanted: ['optimizer', 'scheduler'] },
  );
  const inputs = {
    model: made.input('model'),
    optimizer: prepared.input('optimizer'),
    scheduler: prepared.input('scheduler'),
  };
  const train = `
import torch
before = model.weight.detach().clone()
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
scheduler.step()
are_one = optimizer.param_groups[0]["params"][0] is model.weight and scheduler.optimizer is optimizer
are_one, not torch.equal(before, model.weight), round(optimizer.param_groups[0]["lr"], 4)
`;
  const shownBy = async (order: readonly (keyof typeof inputs)[]) => {
    const given = Object.fromEntries(order.map((name) => [name, inputs[name]]));
    const trained = await cells.run(train, { inputs: given, wanted: ['model', 'optimizer'] });
    return { trained, shown: trained.displays.map(({ preview, text }) => text ?? preview) };
  };
  const first = await shownBy(['model', 'optimizer', 'scheduler']);
  const other = await shownBy(['scheduler', 'optimizer', 'model']);
  assert.deepEqual([first.shown, other.shown], [['(True, True, 0.01)'], ['(True, True, 0.01)']]);

  // Trained and handed on, a model is what it is now, whatever an optimiser from before remembers of it.
  const source =
    'import torch\ntorch.equal(optimizer.param_groups[0]["params"][0], model.weight), model.weight.tolist()';
  const [later, earlier] = await Promise.all(
    [first.trained.input('optimizer'), inputs.optimizer].map(async (optimizer) => {
      const { displays } = await cells.run(source, { inputs: { optimizer, model: first.trained.input('model') } });
      return displays.map(({ preview, text }) => text ?? preview);
    }),
  );
  assert.deepEqual(later, earlier);
  assert.match(String(later?.[0]), /^\(True, /);
});

test('what a cell froze stays frozen beside an optimiser from before, whichever is read first', async (t) => {
  const cells = needCells(t);
  if (!cells) return;
  const made = await cells.run(
    'import torch\nmodel = torch.nn.Linear(2, 1)\noptimizer = torch.optim.Adam(model.parameters())',
    { wanted: ['model', 'optimizer'] },
  );
  const frozen = await cells.run('model.requires_grad_(False)\nmodel = model', {
    inputs: { model: made.input('model') },
    wanted: ['model'],
  });
  const [model, optimizer] = [frozen.input('model'), made.input('optimizer')];
  const seen = [];
  for (const inputs of [
    { model, optimizer },
    { optimizer, model },
  ]) {
    const { displays } = await cells.run('optimizer\n[one.requires_grad for one in model.parameters()]', { inputs });
    seen.push(displays[0]?.preview);
  }
  assert.deepEqual(seen, Array(2).fill([false, false]));
});
