// Cell processes that are kept for their widgets: what people do reaches the code, and what came of it comes back.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { CommMessage, Keeper, KeptAnswer } from '../src/runtimes/index.ts';
import { type Cells, startCells } from './kit/cells.ts';
import { displayEnvironment } from './kit/notebookEnvironment.ts';

/** Undefined after the test was marked as skipped. */
async function kept(
  t: TestContext,
  source: string,
  mostBytes: number | null = null,
): Promise<(AsyncDisposable & { keeper: Keeper; cells: Cells; models: Record<string, CommMessage> }) | undefined> {
  const interpreter = await displayEnvironment(t);
  if (interpreter === undefined) return undefined;
  const cells = startCells(interpreter);
  const workDir = path.join(cells.folder, 'work');
  const place = { inputs: {}, env: {}, settings: {}, workDir, notebookDir: cells.folder };
  const keeper = await cells.runtime.openKeeper(
    { ...place, cellId: 'kept', source, mostBytes },
    new AbortController().signal,
  );
  const models = Object.fromEntries(
    messagesOf(await keeper.state()).map((one) => [String(stateOf(one)._model_name), one]),
  );
  return {
    keeper,
    cells,
    models,
    async [Symbol.asyncDispose]() {
      await keeper.close();
      await cells[Symbol.asyncDispose]();
    },
  };
}

function messagesOf(answer: KeptAnswer): readonly CommMessage[] {
  assert.ok('messages' in answer, JSON.stringify(answer));
  return answer.messages;
}

const stateOf = ({ data }: CommMessage): Record<string, unknown> => Object(data.state);

const update = (to: CommMessage | undefined, state: object): CommMessage => ({
  model: to?.model ?? '',
  kind: 'comm_msg',
  data: { method: 'update', state, buffer_paths: [] },
  buffers: [],
});

const custom = (to: CommMessage | undefined, content: object): CommMessage => ({
  model: to?.model ?? '',
  kind: 'comm_msg',
  data: { method: 'custom', content },
  buffers: [],
});

test('interact gives its output anew for each value', async (t) => {
  await using found = await kept(
    t,
    'from ipywidgets import interact\n@interact(x=(0, 10))\ndef f(x):\n    print("x is", x)',
  );
  if (found === undefined) return;
  const answer = messagesOf(await found.keeper.send([update(found.models.IntSliderModel, { value: 7 })]));
  assert.deepEqual(
    answer.map((message) => [message.model === found.models.OutputModel?.model, stateOf(message)]),
    [[true, { outputs: [{ output_type: 'stream', name: 'stdout', text: 'x is 7\n' }] }]],
  );
  const slider = messagesOf(await found.keeper.state()).find(
    ({ model }) => model === found.models.IntSliderModel?.model,
  );
  assert.equal(slider && stateOf(slider).value, 7, 'whoever comes later finds what is there now');
});

test('a click is heard, what it prints comes along, and an error in it ends nothing', async (t) => {
  await using found = await kept(
    t,
    `
import ipywidgets as w
button, label = w.Button(description='Go'), w.Label('0')
def clicked(_):
    label.value = str(int(label.value) + 1)
    print('clicked', label.value)
    if label.value == '2':
        raise ValueError('twice')
button.on_click(clicked)
display(button, label)
print('not told again')`,
  );
  if (found === undefined) return;
  const click = custom(found.models.ButtonModel, { event: 'click' });
  const first = await found.keeper.send([click]);
  assert.deepEqual([messagesOf(first).map(stateOf), first.printed], [[{ value: '1' }], 'clicked 1\n']);
  const second = await found.keeper.send([click]);
  assert.match(second.printed, /clicked 2\n[\s\S]*ValueError: twice/);
  const third = await found.keeper.send([click]);
  assert.deepEqual([messagesOf(third).map(stateOf), third.printed], [[{ value: '3' }], 'clicked 3\n']);
});

test('a cell that fails is not kept, and says why', async (t) => {
  const interpreter = await displayEnvironment(t);
  if (interpreter === undefined) return;
  await using cells = startCells(interpreter);
  const workDir = path.join(cells.folder, 'work');
  await assert.rejects(
    cells.runtime.openKeeper(
      {
        inputs: {},
        env: {},
        settings: {},
        workDir,
        notebookDir: cells.folder,
        cellId: 'bad',
        source: '1 / 0',
        mostBytes: null,
      },
      new AbortController().signal,
    ),
    /ZeroDivisionError/,
  );
});

test('one that takes more memory than it may ends, and says so', async (t) => {
  await using found = await kept(
    t,
    'import ipywidgets as w, time\nb = w.Button()\nb.on_click(lambda _: (bytearray(b"x" * 400_000_000), time.sleep(60)))\nb\nheld = []\nb.on_click(lambda _: None)\nb',
    200 * 2 ** 20,
  );
  if (found === undefined) return;
  const answer = await found.keeper.send([custom(found.models.ButtonModel, { event: 'click' })]);
  assert.deepEqual(['gone' in answer, answer.printed], [true, 'This process was ended: it took more than 200 MiB.\n']);
});
