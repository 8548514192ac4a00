// What a cell is told when it fails: class, message, cell and line, and nothing of our own machinery.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type Cells, startCells } from './kit/cells.ts';
import { bareInterpreter } from './kit/notebookEnvironment.ts';

let cells: Cells;
before(async () => {
  cells = startCells(await bareInterpreter());
});
after(() => cells[Symbol.asyncDispose]());

test('a traceback names cell and line, with the source, and hides our frames', async () => {
  const { error, variables } = await cells.run('def f(x):\n    return 1 / x\n\ny = 1\nf(0)\n', { cellId: 'c1' });
  assert.deepEqual(variables, {});
  assert.deepEqual(
    { ...error, text: undefined },
    {
      error_type: 'ZeroDivisionError',
      message: 'division by zero',
      traceback: [
        { cell_id: 'c1', line: 5, function: '<module>', text: 'f(0)' },
        { cell_id: 'c1', line: 2, function: 'f', text: 'return 1 / x' },
      ],
      text: undefined,
    },
  );
  assert.match(
    error?.text ?? '',
    /^Traceback \(most recent call last\):\n {2}File "<cell c1>", line 5, in <module>\n {4}f\(0\)\n[\s\S]*line 2, in f\n {4}return 1 \/ x\n[\s\S]*ZeroDivisionError: division by zero\n$/,
  );
  assert.doesNotMatch(error?.text ?? '', /svc_runtime/);
});

test('a library frame has its file', async () => {
  const { error } = await cells.run('import json\njson.loads("{")');
  assert.equal(error?.error_type, 'JSONDecodeError');
  assert.deepEqual(
    error?.traceback.map((frame) => frame.cell_id === null),
    [false, true, true, true],
  );
  assert.match(error?.traceback.at(-1)?.file ?? '', /json\/decoder\.py$/);
});

test('a syntax error has its line and its caret', async () => {
  const { error } = await cells.run('x = 1\ny = (2 +\nz = 3', { cellId: 'c2' });
  assert.equal(error?.error_type, 'SyntaxError');
  const frame = error?.traceback[0];
  assert.deepEqual([frame?.cell_id, error?.traceback.length], ['c2', 1]);
  assert.match(error?.text ?? '', /File "<cell c2>", line \d+\n.*\n\s*\^+\nSyntaxError: /);
  assert.match(error?.message ?? '', / \(the notebook runs Python 3\.\d+\)$/);
  assert.equal((await cells.run('x = 1\n  y = 2')).error?.error_type, 'IndentationError');
});

test('chained exceptions are told whole', async () => {
  const { error } = await cells.run('try:\n  1/0\nexcept Exception as e:\n  raise ValueError("bad") from e');
  assert.match(
    error?.text ?? '',
    /ZeroDivisionError[\s\S]*direct cause of the following exception[\s\S]*ValueError: bad/,
  );
});

test('endless recursion is told in few frames', async () => {
  const { error } = await cells.run('def f(): return f()\nf()');
  assert.equal(error?.traceback.length, 60);
  assert.ok((error?.text.length ?? 0) < 70_000);
});

test('a missing module suggests its package, and those that the cell would miss next', async () => {
  const source = [
    'import json, nothing_like_it.sub as nothing, sys',
    'from PIL.nothing import Image',
    'from sklearn import svm',
    'import nothing_like_it.other, svc_beside',
    'try:\n  import not_wanted\nexcept ImportError: pass',
    'def later(): import not_now',
  ];
  const beside = path.join(cells.folder, 'svc_beside.py');
  fs.writeFileSync(beside, '');
  const { suggestInstall } = await cells.run(source.join('\n'));
  fs.rmSync(beside);
  assert.deepEqual(suggestInstall, {
    package: 'nothing_like_it',
    language: 'python',
    also: ['Pillow', 'scikit-learn'],
  });
});

test('a missing module suggests its package', async () => {
  const suggests = async (source: string, name: string | null): Promise<void> => {
    const { suggestInstall, outcome, error, stderr } = await cells.run(source);
    const expected = name === null ? null : { package: name, language: 'python' };
    assert.deepEqual(suggestInstall, expected, `${source}\n${outcome}: ${error?.message}\n${stderr}`);
  };
  await suggests('import sklearn.linear_model', 'scikit-learn');
  await suggests('import nothing_like_it.sub', 'nothing_like_it');
  await suggests('import subprocess, sys\nsubprocess.run([sys.executable, "-c", "import yaml"], check=True)', 'pyyaml');
  await suggests('1/0', null);
  await suggests('try:\n  import yaml\nexcept ImportError as e: print(e)', null);
});

test('a file beside the notebook is hinted at', async () => {
  const { error } = await cells.run(`open('../beside.csv', 'w').close()\nopen('beside.csv')`);
  assert.match(error?.message ?? '', /this file lies beside the notebook: read '\.\.\/beside\.csv'/);
});

test('the namespace is a module of its own', async () => {
  const { stdout, error } = await cells.run(`
from __future__ import annotations
import sys, pickle
class C: pass
def f(x: Missing) -> Missing: pass
print(__name__, sys.modules['__main__'].C is C, type(pickle.loads(pickle.dumps(C()))) is C, sys.argv, '__file__' in globals())
print(sorted(name for name in globals() if not name.startswith('_')))
`);
  assert.equal(error, null);
  assert.equal(
    stdout,
    "__main__ True True [''] False\n['C', 'Markdown', 'annotations', 'display', 'f', 'pickle', 'sys']\n",
  );
});

test('await works at the top of a cell', async () => {
  const { displays, error } = await cells.run('import asyncio\nx = await asyncio.sleep(0, 5)\nx + 1');
  assert.equal(error, null);
  assert.equal(displays[0]?.preview, 6);
});

test('what a cell that fails left in its loop tidies up', async () => {
  const { error, stdout, stderr } = await cells.run(`import asyncio
async def work():
    try:
        await asyncio.sleep(60)
    finally:
        print("tidied up")
task = asyncio.create_task(work())
await asyncio.sleep(0)
1 / 0`);
  assert.deepEqual([error?.message, stdout, stderr], ['division by zero', 'tidied up\n', '']);
});

test('a cell that awaits may leave another loop behind, or none', async () => {
  const outcomes = [];
  for (const loop of ['asyncio.new_event_loop()', 'None']) {
    const { error } = await cells.run(`import asyncio\nawait asyncio.sleep(0)\nasyncio.set_event_loop(${loop})`);
    outcomes.push(error);
  }
  assert.deepEqual(outcomes, [null, null]);
});

test('a loop runs for whoever needs one, and what was left in it is told', async () => {
  const needed = await cells.run(
    'import asyncio\nasyncio.get_running_loop().is_running(), asyncio.get_event_loop().is_running()',
  );
  assert.deepEqual([needed.error, needed.displays[0]?.text], [null, '(True, True)']);
  const own = await cells.run(
    'import asyncio\nloop = asyncio.new_event_loop()\nn = loop.run_until_complete(asyncio.sleep(0, 5))\n[n, asyncio.run(asyncio.sleep(0, 6))]',
  );
  assert.deepEqual([own.error, own.displays[0]?.preview], [null, [5, 6]]);
  const left = await cells.run('import asyncio\ntask = asyncio.create_task(asyncio.sleep(60))');
  assert.deepEqual(
    [left.error, left.stderr],
    [
      null,
      'A task was still running when the cell ended, and ended with it. Await it here, or name it in the cell that awaits it.\n',
    ],
  );
});

test('multiprocessing works, however its processes start', async () => {
  for (const method of ['fork', 'spawn']) {
    const { displays, error, stderr } = await cells.run(`
import multiprocessing, math
with multiprocessing.get_context('${method}').Pool(2) as pool:
    result = pool.map(math.factorial, [3, 4])
result
`);
    assert.equal(error, null, stderr);
    assert.deepEqual(displays[0]?.preview, [6, 24]);
  }
});

test('environment, folder and imports are those of the job', async () => {
  const { stdout } = await cells.run(
    `
import os
open('local_module.py', 'w').write('here = 1')
import local_module
print(os.environ['FROM_JOB'], os.path.basename(os.getcwd()), local_module.here)
import subprocess
subprocess.run('echo $FROM_JOB', shell=True)
try:
    import svc_runtime.harness
    import svc_engine
except ImportError as problem: print(problem)
`,
    { env: { FROM_JOB: 'yes' } },
  );
  assert.equal(stdout, "yes work 1\nyes\nNo module named 'svc_engine'\n");
});

test('a file can be an input by its path', async () => {
  const inputs = { file: { contentType: 'file/path', file: '/some/where.csv' } };
  assert.equal((await cells.run('file.name', { inputs })).displays[0]?.preview, 'where.csv');
});

test('an input that is changed in place is warned of, and one that is stored anew is not', async () => {
  const made = await cells.run('data = [1, 2]\nother = {"a": 1}\ngone = [3]', { wanted: ['data', 'other', 'gone'] });
  const inputs = { data: made.input('data'), other: made.input('other'), gone: made.input('gone') };
  const source = 'data.append(3)\nother["a"] = 2\ndel gone';
  const warned = await cells.run(source, { inputs });
  assert.deepEqual(
    warned.mutationWarnings.map(({ var_name, suggestion }) => [var_name, suggestion !== null]),
    [
      ['data', true],
      ['other', true],
      ['gone', false],
    ],
  );
  assert.match(warned.mutationWarnings[0]?.message ?? '', /^'data' was mutated in place \(no reassignment\); /);
  const stored = await cells.run(source, { inputs, mutationDefines: ['other'], wanted: ['other'] });
  assert.deepEqual(
    stored.mutationWarnings.map((warning) => warning.var_name),
    ['data', 'gone'],
  );
  assert.deepEqual(stored.variables.other?.preview, { a: 2 });
  const read = await cells.run('[data, other, gone]', { inputs });
  assert.deepEqual(read.mutationWarnings, []);
  assert.deepEqual(Object.keys(read.variables), []);
});

test('two names for one object are warned of when both are stored', async () => {
  const { mutationWarnings } = await cells.run('a = [1]\nb = a\nc = d = 5', { wanted: ['a', 'b', 'c', 'd'] });
  assert.deepEqual(
    mutationWarnings.map((warning) => warning.var_name),
    ['b'],
  );
});

test('an inspect prompt answers on the inputs of a cell', async () => {
  const made = await cells.run('data = [1, 2]', { wanted: ['data'] });
  const prompt = await cells.runtime.openInspector({
    inputs: { data: made.input('data'), broken: { contentType: 'json/object', file: '/nowhere' } },
    env: {},
    workDir: `${cells.folder}/work`,
    notebookDir: cells.folder,
  });
  assert.deepEqual(await prompt.evaluate('len(data)'), { ok: true, result: '2', type: 'int', stdout: '' });
  assert.deepEqual(await prompt.evaluate('print(data)'), {
    ok: true,
    result: 'None',
    type: 'NoneType',
    stdout: '[1, 2]\n',
  });
  assert.deepEqual(await prompt.evaluate('y = data + [3]'), {
    ok: true,
    result: '(no output)',
    type: 'None',
    stdout: '',
  });
  const [first, second] = await Promise.all([prompt.evaluate('def f(): return data, y'), prompt.evaluate('f()')]);
  assert.equal(first.ok, true);
  assert.equal(second.result, '([1, 2], [1, 2, 3])');
  const failed = await prompt.evaluate('1/0');
  assert.equal(failed.ok, false);
  assert.match(failed.error ?? '', /File "<cell prompt \d+>", line 1, in <module>[\s\S]*ZeroDivisionError/);
  assert.match((await prompt.evaluate('broken')).error ?? '', /The input 'broken' could not be read/);
  assert.match((await prompt.evaluate('exit()')).error ?? '', /SystemExit|NameError/);
  assert.match((await prompt.evaluate('import os; os._exit(1)')).error ?? '', /The prompt is gone/);
  assert.match((await prompt.evaluate('1')).error ?? '', /The prompt is gone/);
  await prompt.close();
});

test('a prompt that hangs can be closed', async () => {
  const place = { inputs: {}, env: {}, workDir: `${cells.folder}/work`, notebookDir: cells.folder };
  const prompt = await cells.runtime.openInspector(place);
  const hanging = prompt.evaluate('while True: pass');
  await prompt.close();
  assert.equal((await hanging).ok, false);
});
