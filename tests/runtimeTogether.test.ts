// Values that share parts stay together in the cells that read them: what is changed through one is changed in the other.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { type Cells, startCells } from './kit/cells.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';

let shared: Cells | undefined;
after(() => shared?.[Symbol.asyncDispose]());

/** Undefined after the test was marked as skipped. */
async function needCells(t: TestContext): Promise<Cells | undefined> {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return undefined;
  shared ??= startCells(interpreter);
  return shared;
}

const tree = `
import xml.etree.ElementTree as ET
tree = ET.ElementTree(ET.fromstring('<a><b/></a>'))
root = tree.getroot()
other = ET.ElementTree(ET.fromstring('<a><b/></a>'))`;
const change = "root.set('k', 'v')\nimport xml.etree.ElementTree as ET\nET.tostring(tree.getroot()).decode()";

test('values that share parts are one object in a cell that reads both, in either order, and no more than they were', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const made = await cells.run(tree, { wanted: ['tree', 'root', 'other'] });
  assert.deepEqual(made.error, null);
  const [first, second] = [made.input('tree'), made.input('root')];
  for (const inputs of [
    { tree: first, root: second },
    { root: second, tree: first },
  ]) {
    const read = await cells.run(change, { inputs: { ...inputs, other: made.input('other') }, wanted: [] });
    assert.deepEqual([read.error, read.displays[0]?.preview], [null, '<a k="v"><b /></a>']);
  }
  const apart = await cells.run(`${change}\nET.tostring(other.getroot()).decode()`, {
    inputs: { tree: first, root: second, other: made.input('other') },
  });
  assert.equal(apart.displays[0]?.preview, '<a><b /></a>');
});

test('values that share parts have the same bytes each time', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const digests = async (): Promise<unknown[]> => {
    const { variables } = await cells.run(tree, { wanted: ['tree', 'root'] });
    return [variables.tree?.sha256, variables.root?.sha256];
  };
  assert.deepEqual(await digests(), await digests());
});

test('values that share parts go on together from a cell that changed them, and warn of nothing', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const made = await cells.run(tree, { wanted: ['tree', 'root'] });
  const inputs = { tree: made.input('tree'), root: made.input('root') };
  const changed = await cells.run("tree, root = tree, root\nroot.set('k', 'v')", {
    inputs,
    wanted: ['tree', 'root'],
  });
  assert.deepEqual([changed.error, changed.mutationWarnings], [null, []]);
  const again = { tree: changed.input('tree'), root: changed.input('root') };
  const read = await cells.run("root.set('l', 'w')\ntree.getroot().attrib", { inputs: again });
  assert.deepEqual(read.displays[0]?.preview, { k: 'v', l: 'w' });
});

const classes = `
class Account:
  def __init__(self, owner): self.owner, self.balance = owner, 0
class Bank:
  def __init__(self, accounts): self.accounts = accounts`;

test('values that share parts may be made in different cells: what was given is found in what holds it', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const slice = {
    moduleName: 'svc_cell_bank',
    kind: 'class',
    source: classes,
    provenanceHash: 'p',
    injected: {},
  } as const;
  const lent = await cells.run(classes, {
    wanted: ['Account', 'Bank'],
    moduleSlices: { Account: slice, Bank: slice },
  });
  const types = { Account: lent.input('Account'), Bank: lent.input('Bank') };
  // Two accounts that look alike are two all the same.
  const people = await cells.run("alice, twin = Account('a'), Account('a')", {
    inputs: types,
    wanted: ['alice', 'twin'],
  });
  const given = { ...types, alice: people.input('alice'), twin: people.input('twin') };
  const bank = await cells.run('bank = Bank([alice, twin])', { inputs: given, wanted: ['bank'] });
  const club = await cells.run('club = Bank([alice])', { inputs: given, wanted: ['club'] });
  assert.deepEqual([bank.error, club.error], [null, null]);
  const holders = { bank: bank.input('bank'), club: club.input('club') };
  const source =
    'alice.balance = 5\n[a.balance for a in bank.accounts] + [a.balance for a in club.accounts] + [twin.balance]';
  for (const inputs of [
    { ...given, ...holders },
    { ...holders, ...given },
  ]) {
    const read = await cells.run(source, { inputs });
    assert.deepEqual([read.error, read.displays[0]?.preview], [null, [5, 0, 5, 0]]);
  }
  const alone = await cells.run('[a.owner for a in bank.accounts]', { inputs: holders });
  assert.deepEqual([alone.error, alone.displays[0]?.preview], [null, ['a', 'a']]);
});

test('values that share parts are as they were stored where a cell changed what it was given without handing it on', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const made = await cells.run('from types import SimpleNamespace as Thing\npart = Thing(n=1)', { wanted: ['part'] });
  const given = { part: made.input('part') };
  const source = 'from types import SimpleNamespace as Thing\npart.n = 2\nwhole = Thing(part=part)';
  const holding = await cells.run(source, { inputs: given, wanted: ['whole'] });
  assert.deepEqual(
    holding.mutationWarnings.map(({ var_name }) => var_name),
    ['part'],
  );
  const read = await cells.run('[part.n, whole.part.n]', { inputs: { ...given, whole: holding.input('whole') } });
  assert.deepEqual(read.displays[0]?.preview, [1, 2]);
});

test('what holds something that a cell changed unnoticed has it as it was then, whatever is read first', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const made = await cells.run('import collections\nline = collections.deque([1])', { wanted: ['line'] });
  const given = { line: made.input('line') };
  const source = 'from types import SimpleNamespace as Thing\nline.append(2)\nshop = Thing(line=line)';
  const holding = await cells.run(source, { inputs: given, wanted: ['shop'] });
  assert.deepEqual([holding.error, holding.mutationWarnings], [null, []]);
  const shop = { shop: holding.input('shop') };
  const read = [];
  for (const inputs of [
    { ...given, ...shop },
    { ...shop, ...given },
  ]) {
    const { displays } = await cells.run('[list(line), list(shop.line)]', { inputs });
    read.push(displays[0]?.preview);
  }
  assert.deepEqual(read, Array(2).fill([[1], [1, 2]]));
});

test('values that share parts with arrays too large for a pickle are mapped, once', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source = `
import numpy
from types import SimpleNamespace as Thing
inner = Thing(data=numpy.zeros(100_000))
outer = Thing(inner=inner)`;
  const made = await cells.run(source, { wanted: ['inner', 'outer'] });
  assert.deepEqual(made.error, null);
  const inputs = { inner: made.input('inner'), outer: made.input('outer') };
  const read = await cells.run('inner.data[5] = 7\nint(outer.inner.data.sum())', { inputs });
  assert.deepEqual([read.error, read.displays[0]?.preview], [null, 7]);
});

test('values that hold one another and are too large are stored apart, and somebody is told', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source = `
import numpy
from types import SimpleNamespace as Thing
inner = Thing(data=numpy.zeros(9_000_000))
outer = Thing(inner=inner)`;
  const { mutationWarnings } = await cells.run(source, { wanted: ['inner', 'outer'] });
  const why = 'hold one another, and are too large to be stored together: stored, they change separately.';
  assert.deepEqual(
    mutationWarnings.map(({ message }) => message),
    [`'inner', 'outer' ${why}`],
  );
});

test('values that share parts are stored apart where one of them cannot be written down', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source = `
import threading
from types import SimpleNamespace as Thing
part = Thing(n=1)
whole = Thing(part=part, lock=threading.Lock())`;
  const { variables } = await cells.run(source, { wanted: ['part', 'whole'] });
  assert.deepEqual([variables.part?.content_type, variables.whole?.content_type], ['pickle/object', 'error']);
});

test('a value that can be written but not be read again is told where it is made', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const module = `
import collections
class Rows(collections.defaultdict):
    def __init__(self, owner, factory):
        super().__init__(factory)`;
  fs.writeFileSync(path.join(cells.folder, 'work', 'ledger_rows.py'), module);
  const made = await cells.run('import ledger_rows\nrows = ledger_rows.Rows(1, list)', { wanted: ['rows'] });
  const why = "Rows.__init__() missing 1 required positional argument: 'factory'";
  assert.deepEqual(made.variables.rows, {
    content_type: 'error',
    error: `it can be written down, but not be read again (${why})`,
    type: 'Rows',
    unkept: 'Rows',
  });
});

test('values that hold one another are not written to see what they hold where nobody reads them', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const module = `
class Part:
    def __reduce__(self):
        print('written')
        return Part, ()`;
  fs.writeFileSync(path.join(cells.folder, 'work', 'loud_parts.py'), module);
  const source =
    'import loud_parts\nfrom types import SimpleNamespace as Thing\npart = loud_parts.Part()\nwhole, other = Thing(part=part), 1';
  const printed = [];
  for (const wanted of [[], ['other'], ['part']]) {
    const { stdout } = await cells.run(source, { wanted });
    printed.push(stdout !== '');
  }
  assert.deepEqual(printed, [false, false, true]);
});
