// Layout and edits together: a document prints back as it was, and an edit changes only its own lines.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'smol-toml';
import { randomNumbers, seed } from '../notebook/testing.ts';
import {
  elementsOf,
  type Layout,
  printLayout,
  putKey,
  scanLayout,
  type TomlData,
  tableBlocks,
  tomlFloat,
  withElements,
} from './index.ts';

const document = `# a notebook
notebook_id = "6dec"   # never changed
name = 'My "first"'

# times
created_at = 2026-11-15 02:48:25.613382+00:00
text = """a
[not.a.header]
# not a comment "\\""""""
numbers = [ 1, 0x1F, # in hex
  3 ]
timeout = 30.0

# first cell
[[cells]]
id = "a"
order = 0 # zero

[[cells]] # second
id = "b"
# where it runs
worker = "gpu"
[cells.env]
A = "1"

# a table of ours
[ai]
model = "x" # keep
["quoted \\u0041"."b.c"]
x.y = 1
`;

function edit(text: string, change: (layout: Layout, data: Record<string, unknown>) => Layout): string {
  return printLayout(change(scanLayout(text), parse(text)));
}

function child(value: unknown, key: string): unknown {
  return new Map(Object.entries(value ?? {})).get(key);
}

const put = (text: string, path: string[], key: string, next: TomlData | undefined): string =>
  edit(text, (layout, data) => {
    const table = path.reduce<unknown>(child, data);
    return putKey(layout, path, key, child(table, key), next);
  });

describe('layout', () => {
  it('prints back exactly', () => {
    for (const text of [document, '', '\n', 'a = 1', '# only a comment', document.replaceAll('\n', '\r\n')]) {
      assert.equal(printLayout(scanLayout(text)), text);
    }
  });

  it('knows the path of each block', () => {
    assert.deepEqual(
      scanLayout(document).map(({ path, opensElement }) => [path.join('/'), opensElement]),
      [
        ['', false],
        ['cells', true],
        ['cells', true],
        ['cells/env', false],
        ['ai', false],
        ['quoted A/b.c', false],
      ],
    );
  });
});

describe('one key', () => {
  it('is replaced where it stands, its comment kept', () => {
    assert.equal(put(document, [], 'notebook_id', 'x'), document.replace('"6dec"', '"x"'));
    assert.equal(put(document, ['ai'], 'model', 'y'), document.replace('"x" # keep', '"y" # keep'));
    assert.equal(put(document, ['quoted A', 'b.c', 'x'], 'y', 2), document.replace('x.y = 1', 'x.y = 2'));
  });

  it('stays as written when its value is the same', () => {
    assert.equal(put(document, [], 'timeout', tomlFloat(30)), document);
    assert.equal(put(document, [], 'numbers', [1, 31, 3]), document);
  });

  it('goes last among the entries of its table', () => {
    assert.equal(
      put(document, [], 'worker', 'gpu'),
      document.replace('timeout = 30.0\n', 'timeout = 30.0\nworker = "gpu"\n'),
    );
    assert.equal(
      put(document, ['quoted A', 'b.c', 'x'], 'z', true),
      document.replace('x.y = 1\n', 'x.y = 1\nx.z = true\n'),
    );
    assert.equal(put('a = 1', [], 'b', tomlFloat(2)), 'a = 1\nb = 2.0\n');
  });

  it('is removed with its own comments', () => {
    assert.equal(
      put(document, [], 'created_at', undefined),
      document.replace('# times\ncreated_at = 2026-11-15 02:48:25.613382+00:00\n', ''),
    );
    assert.equal(
      put(document, [], 'ai', undefined),
      document.replace('# a table of ours\n[ai]\nmodel = "x" # keep\n', ''),
    );
  });

  it('is a block when it is a new table', () => {
    assert.equal(put('a = 1\n', [], 'env', { B: '2' }), 'a = 1\n\n[env]\nB = "2"\n');
    assert.equal(
      put('[connections.wh]\ndriver = "sqlite"\n', ['connections'], 'lake', {
        driver: 'duckdb',
        auth: { user: 'u' },
      }),
      '[connections.wh]\ndriver = "sqlite"\n\n[connections.lake]\ndriver = "duckdb"\n\n[connections.lake.auth]\nuser = "u"\n',
    );
  });

  it('leaves no trace when it is added and removed again', () => {
    for (const text of ['a = 1\n', 'a = 1\n\n[env]\nB = "2"\n', document])
      for (const value of [{ C: '3', deep: { D: '4' } }, [{ name: 'x' }, { name: 'y' }]])
        assert.equal(put(put(text, [], 'added', value), [], 'added', undefined), text);
    assert.equal(put('a = 1\n\n[env]\nB = "2"\n\n[last]\nC = 3\n', [], 'env', undefined), 'a = 1\n\n[last]\nC = 3\n');
  });

  it('of a table is edited key by key', () => {
    assert.equal(
      put(document, [], 'ai', { model: 'x', base_url: 'u' }),
      document.replace('model = "x" # keep\n', 'model = "x" # keep\nbase_url = "u"\n'),
    );
  });

  it('of an inline table is reached by writing that table as a block', () => {
    const inline = '# wh\nconnections = { wh = { driver = "sqlite", auth = { user = "u" } } } # all\nlast = 1\n';
    assert.equal(
      put(inline, ['connections', 'wh', 'auth'], 'user', ''),
      'last = 1\n# wh\n[connections] # all\n[connections.wh]\ndriver = "sqlite"\n[connections.wh.auth]\nuser = ""\n',
    );
    assert.equal(
      put(inline, ['connections'], 'new', { driver: 'd' }),
      'last = 1\n# wh\n[connections] # all\nwh = { driver = "sqlite", auth = { user = "u" } }\n\n[connections.new]\ndriver = "d"\n',
    );
    assert.equal(put('a = { b = 1 }\nz = 1', ['a'], 'c', 2), 'z = 1\n[a]\nb = 1\nc = 2\n');
    assert.equal(put('[t]\na = { b = 1, c = 2 }\n', ['t', 'a'], 'b', undefined), '[t]\n[t.a]\nc = 2\n');
  });

  it('cannot smuggle text in', () => {
    const value = { raw: 'x', '': 'a"\n[evil]\n\\\u0000\u007f' };
    assert.deepEqual(plain(parse(put('', [], 'v', value))), { v: value });
  });
});

describe('elements', () => {
  const reversed = (text: string): string =>
    edit(text, (layout) => withElements(layout, 'cells', elementsOf(layout, 'cells').reverse(), true));

  it('move with their comments and sub-tables', () => {
    const moved = reversed(document);
    const [a, b] = [
      '# first cell\n[[cells]]\nid = "a"\norder = 0 # zero\n\n',
      '[[cells]] # second\nid = "b"\n# where it runs\nworker = "gpu"\n[cells.env]\nA = "1"\n\n',
    ];
    assert.equal(moved, document.replace(a + b, b + a));
    assert.equal(reversed(moved), document);
  });

  it('are written inline while each fits its line', () => {
    const text = 'cells = []\nworkers = []\n';
    const add = (to: string, id: string): string =>
      edit(to, (layout) =>
        withElements(
          layout,
          'cells',
          [...elementsOf(layout, 'cells'), tableBlocks(['cells'], { id, order: 0 }, true)],
          true,
        ),
      );
    const two = add(add(text, 'a'), 'b');
    assert.equal(two, 'cells = [\n    { id = "a", order = 0 },\n    { id = "b", order = 0 },\n]\nworkers = []\n');
    const long = 'c'.repeat(100);
    assert.equal(
      add(two, long),
      `workers = []\n\n[[cells]]\nid = "a"\norder = 0\n\n[[cells]]\nid = "b"\norder = 0\n\n[[cells]]\nid = "${long}"\norder = 0\n`,
    );
    assert.equal(
      edit(two, (layout) => withElements(layout, 'cells', [], true)),
      text,
    );
  });

  it('leave the inline form rather than lose a comment', () => {
    assert.equal(
      reversed('cells = [\n  # one\n  { id = "a" }, # first\n  { id = "b" },\n]\n'),
      '[[cells]]\nid = "b"\n\n# one\n# first\n[[cells]]\nid = "a"\n',
    );
  });
});

it('comments inside inline tables stay with their key', () => {
  const text = 'cells = [\n  {\n    # who\n    id = "a", # first\n    order = 1 },\n]\n';
  assert.deepEqual(JSON.parse(JSON.stringify(parse(text))), { cells: [{ id: 'a', order: 1 }] });
  const [element = []] = elementsOf(scanLayout(text), 'cells');
  assert.equal(printLayout(element), '[[cells]]\n# who\nid = "a"\n# first\norder = 1\n');
});

it('random documents survive random edits', (context) => {
  context.diagnostic(`SVC_TEST_SEED=${seed}`);
  const numbers = randomNumbers(seed);
  const random = (below: number): number => Math.floor(numbers() * below);
  const lines = ['\n', '# note\n', 'a = "x" # c\n', "b = '''\n[x]\n'''\n", 'c.d = { e = [1, "]"] }\n', '"q r" = 1.0\n'];
  for (let round = 0; round < 500; round += 1) {
    let text = lines.filter(() => random(2)).join('');
    for (let table = 0; table < random(4); table += 1)
      text += `# t${table}\n[t${table}]\n${lines.filter(() => random(2)).join('')}`;
    assert.equal(printLayout(scanLayout(text)), text);
    const path = random(2) && text.includes('[t0]') ? ['t0'] : [];
    const key = ['a', 'b', 'c', 'new'][random(4)] ?? 'new';
    const next = [undefined, 5, 'five', { x: { y: tomlFloat(1) } }, [{ z: true }]][random(5)];
    const before = parse(text);
    const after = next === undefined ? {} : { [key]: parse(put('', [], 'v', next)).v };
    const without = (table: unknown): object =>
      Object.fromEntries(Object.entries(table ?? {}).filter(([one]) => one !== key));
    const expected =
      path.length === 0 ? { ...without(before), ...after } : { ...before, t0: { ...without(before.t0), ...after } };
    assert.deepEqual(plain(parse(put(text, path, key, next))), plain(expected), `SVC_TEST_SEED=${seed}: ${text}`);
  }
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
