// IPython's syntax in a cell: what each line means as Python, which names it reads and defines, and what to do where it means
// nothing here.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { createAnalysis } from './analysis.ts';
import { analysisCommand, observedEngine, python, pythonFolder } from './testing.ts';

const engine = observedEngine(analysisCommand);
const analysis = createAnalysis(engine);
after(() => engine.close());

const line = (name: string, text: string): string => `get_ipython().run_line_magic('${name}', '${text}')`;

describe('a line of IPython', () => {
  const table: readonly (readonly [source: string, python: string])[] = [
    ['%matplotlib inline', line('matplotlib', 'inline')],
    ['%load_ext autoreload\n%autoreload 2', `${line('load_ext', 'autoreload')}\n${line('autoreload', '2')}`],
    ['%time f(x)', '(get_ipython().time_begins(), (f(x)), get_ipython().time_ends())[1]'],
    ['%time y = f(x)', 'get_ipython().time_begins(); y = f(x); get_ipython().time_ends()'],
    ['%timeit -n 5 f(x)', "get_ipython().timeit('-n 5', '', 'f(x)', {'f': f, 'x': x})"],
    ['%%timeit -r 2 s = []\ns.append(x)', "get_ipython().timeit_cell('-r 2', 's = []', 's.append(x)', {'x': x})"],
    ['# @name a\n%%time\nx = 1', '# @name a\nget_ipython().time_cell()\nx = 1'],
    ['%%capture out\n!ls', "out = get_ipython().capture_cell('out')\nget_ipython().system('ls')"],
    ['!ls -l', "get_ipython().system('ls -l')"],
    [
      '!echo {n:.1f} $m \u0024{HOME} {a,b}',
      "get_ipython().system('echo {n:.1f} $m \u0024{HOME} {a,b}', {'{n:.1f}': lambda: f'{n:.1f}', '$m': lambda: m})",
    ],
    ["!awk '{print $1}' a", `get_ipython().system("awk '{print $1}' a")`],
    ['if x:\n    !ls \\\n  -l\n    y', "if x:\n    get_ipython().system('ls -l')\n\n    y"],
    ['files = !ls', "files = get_ipython().getoutput('ls')"],
    ['here = %pwd', `here = ${line('pwd', '')}`],
    ['%%bash\necho hi', "get_ipython().cell_magic('bash', 'echo hi', '')"],
    ['%%bash --out text\necho', "text, _ = get_ipython().script('bash', '--out text', 'echo')"],
    ['%%writefile -a a.py\nx', "get_ipython().cell_magic('writefile', 'x', '-a a.py')"],
    ['frame.head?', "get_ipython().run_line_magic('pinfo', 'frame.head', lambda: frame.head)"],
    ['f??', "get_ipython().run_line_magic('pinfo2', 'f', lambda: f)"],
    ['s = """\n!text\n%text\n"""\n[1,\n%x\n]', 's = """\n!text\n%text\n"""\n[1,\n%x\n]'],
  ];

  it('is read as Python, on its line', () => {
    const program = `import json, sys
sys.path.insert(0, ${JSON.stringify(pythonFolder)})
from svc_runtime.ipython_syntax import translate
print(json.dumps([translate(source) for source in json.load(sys.stdin)]))`;
    const { stdout, stderr } = spawnSync(python, ['-c', program], {
      input: JSON.stringify(table.map(([source]) => source)),
      encoding: 'utf8',
    });
    assert.equal(stderr, '');
    assert.deepEqual(
      JSON.parse(stdout),
      table.map(([, meant]) => meant),
    );
  });

  const names: readonly (readonly [source: string, defines: string[], references: string[]])[] = [
    ['%matplotlib inline', [], []],
    ['!ls', [], []],
    ['files = !ls {folder}', ['files'], ['folder']],
    ['%time y = f(x)', ['y'], ['f', 'x']],
    ['%timeit y = f(x)', [], ['f', 'x']],
    ['%%timeit n = start\nfor i in rows:\n    n += i', [], ['rows', 'start']],
    ['%%capture kept\ny = x', ['kept', 'y'], ['x']],
    ['%%bash --out a --err b\nls', ['a', 'b'], []],
    ['frame?', [], ['frame']],
    ['def f(a):\n    !echo {a} {b}\n    return a', ['f'], ['b']],
  ];
  for (const [source, defines, references] of names)
    it(`has the names that it uses: ${JSON.stringify(source)}`, async () => {
      const found = await analysis.analyse(source);
      assert.deepEqual([found.error, found.defines, found.references], [null, defines, references]);
    });

  const elsewhere = 'remove it, or write in Python what it does; %lsmagic lists those that work';
  const refused: readonly (readonly [source: string, message: string, line: number])[] = [
    ['x = 1\n%nosuch thing', `%nosuch does not work here: ${elsewhere}`, 2],
    ['%%cython\ncdef int x', `%%cython does not work here: ${elsewhere}`, 1],
    ['%%sql\nselect 1', "%%sql does not work here: make this a SQL cell: its kind is chosen in the cell's menu", 1],
    ['%%R\nx <- 1', "%%R does not work here: make this an R cell: its kind is chosen in the cell's menu", 1],
    [
      '%%javascript\nalert(1)',
      "%%javascript does not work here: scripts of a cell cannot act on this page. What they draw can be shown: IPython.display.HTML('<script>…</script>')",
      1,
    ],
    ['x = 1\n%%time\ny', '%%time does not work here: it stands for the whole cell and belongs in its first line', 2],
  ];
  for (const [source, message, place] of refused)
    it(`says what to do where it means nothing: ${JSON.stringify(source)}`, async () => {
      assert.deepEqual((await analysis.analyse(source)).error, { message, line: place, column: 1 });
    });
});

describe('the digest of a source', () => {
  const digest = async (source: string): Promise<string> => (await analysis.analyse(source)).sourceDigest;

  it('is that of its Python: comments and layout around lines of IPython do not count', async () => {
    assert.equal(await digest('!ls\nx = 1'), await digest('# list\n!ls  \n\nx  =  1  # one'));
    assert.notEqual(await digest('!ls'), await digest('!ls -l'));
  });

  it('tells a cell that shows nothing, by its last ;, from one that shows its value', async () => {
    assert.notEqual(await digest('x = 1\nx;'), await digest('x = 1\nx'));
    assert.equal(await digest('x = 1\n(x); # quiet'), await digest('x = 1\nx;'));
    assert.equal(await digest('x = 1;'), await digest('x = 1'));
  });
});
