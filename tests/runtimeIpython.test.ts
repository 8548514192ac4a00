// What notebooks take from IPython, in cells: magics, commands of the shell and `IPython.display`, with the package and without.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { type CellOptions, type Cells, type FinishedCell, startCells } from './kit/cells.ts';
import { displayEnvironment, notebookEnvironment } from './kit/notebookEnvironment.ts';

const environments = { 'without the package': notebookEnvironment, 'with the package': displayEnvironment };
const started = new Map<string, Cells>();
after(() => Promise.all([...started.values()].map((cells) => cells[Symbol.asyncDispose]())));

/** Undefined after the test was marked as skipped. */
async function run(
  t: TestContext,
  source: string,
  options: CellOptions = {},
  environment: keyof typeof environments = 'without the package',
): Promise<FinishedCell | undefined> {
  const interpreter = await environments[environment](t);
  if (interpreter === undefined) return undefined;
  const cells = started.get(interpreter) ?? startCells(interpreter);
  started.set(interpreter, cells);
  return cells.run(source, options);
}

const shown = ({ displays }: FinishedCell): unknown[] =>
  displays.map(({ content_type, markdown_text, inline_text, inline_data_url, preview }) => [
    content_type,
    markdown_text ?? inline_text ?? inline_data_url ?? preview,
  ]);

/** What a cell printed and showed, and how it ended. */
const outcome = (finished: FinishedCell): unknown => ({
  stdout: finished.stdout,
  shown: shown(finished),
  error: finished.error?.message ?? null,
});

for (const environment of ['without the package', 'with the package'] as const) {
  test(`objects of IPython.display are shown as what they are, ${environment}`, async (t) => {
    const source = `
from IPython.display import HTML, IFrame, Image, JSON, Latex, Markdown, Math, Pretty, SVG, Audio, Video, Code, YouTubeVideo
from IPython.display import display, display_html, display_markdown
display(HTML('<b>x</b>'), Markdown('# T'), Latex('$a$'), Math('b'), SVG('<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>'))
display(JSON({'a': 1}), Pretty('as it is'), Image(data=b'GIF89a', format='gif'))
display_html('<i>raw</i>', raw=True)
display_markdown(Markdown('only this'))
assert 'https://x.org' in IFrame('https://x.org', 3, 4)._repr_html_()
assert 'youtube' in YouTubeVideo('abc')._repr_html_() and 'audio/' in Audio([0.0, 1.0], rate=8000)._repr_html_()
assert 'x &lt; 1' in Code('x < 1', language='text')._repr_html_()
assert 'video/mp4' in Video(b'film', mimetype='video/mp4', embed=True)._repr_html_()`;
    const finished = await run(t, source, {}, environment);
    if (finished === undefined) return;
    assert.deepEqual(outcome(finished), {
      stdout: '',
      shown: [
        ['text/html', '<b>x</b>'],
        ['text/markdown', '# T'],
        ['text/latex', '$a$'],
        ['text/latex', '$\\displaystyle b$'],
        ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>'],
        ['json/object', { a: 1 }],
        ['text/plain', 'as it is'],
        ['image/gif', 'data:image/gif;base64,R0lGODlh'],
        ['text/html', '<i>raw</i>'],
        ['text/markdown', 'only this'],
      ],
      error: null,
    });
  });

  test(`a handle shows another value in its place, and get_ipython is the same everywhere, ${environment}`, async (t) => {
    const source = `
import builtins, IPython, IPython.display
handle = display('one', display_id=True)
IPython.display.display('gone', display_id='named')
display('after')
handle.update('two')
IPython.display.update_display('replaced', display_id='named')
[type(handle) is IPython.display.DisplayHandle, IPython.get_ipython() is get_ipython() is builtins.get_ipython(), builtins.display is display]`;
    const finished = await run(t, source, {}, environment);
    if (finished === undefined) return;
    assert.deepEqual(
      finished.displays.map(({ preview }) => preview),
      ['two', 'replaced', 'after', [true, true, true]],
    );
  });
}

test('a package that needs more of IPython than is there is told which package to add', async (t) => {
  const advice = 'IPython itself is not installed here: add ipython to the dependencies of the notebook';
  const module = await run(t, 'from IPython.core.magic import register_line_magic');
  const name = await run(t, 'from IPython.display import Nothing');
  if (module === undefined || name === undefined) return;
  assert.deepEqual(
    [module.error?.message, module.suggestInstall, name.error?.message],
    [
      `No module named 'IPython.core.magic': ${advice}`,
      { package: 'ipython', language: 'python' },
      `cannot import name 'Nothing' from 'IPython.display': ${advice}`,
    ],
  );
});

test('commands of the shell see the names of the cell, and their lines come back as a list', async (t) => {
  const finished = await run(
    t,
    `n = 3
!echo {n + 1} $n '{{n}}'
lines = !printf 'a 1\\nb 2\\n'
print(lines, lines.s, lines.fields(1))
lines`,
  );
  if (finished === undefined) return;
  assert.deepEqual(outcome(finished), {
    stdout: "4 3 {n}\n['a 1', 'b 2'] a 1 b 2 ['1', '2']\n",
    shown: [['json/object', ['a 1', 'b 2']]],
    error: null,
  });
});

test('a script of another program shows what it writes, and its failure is the failure of the cell', async (t) => {
  const finished = await run(t, '%%bash\necho hello\necho bad >&2\nexit 3');
  if (finished === undefined) return;
  assert.deepEqual(
    [finished.stdout, finished.stderr, finished.error?.message],
    ['hello\n', 'bad\n', "Command 'bash' returned non-zero exit status 3."],
  );
});

test('time is told in the words of IPython, and values and names stay', async (t) => {
  const finished = await run(
    t,
    `%time doubled = 2 * 21
%timeit -n 10 -r 2 doubled + 1
measured = %timeit -o -q -n 3 -r 1 sum([1])
%time [doubled, measured.loops]`,
  );
  if (finished === undefined) return;
  const time = String.raw`[\d.e+]+ (?:s|ms|μs|ns)`;
  const words = String.raw`CPU times: user ${time}, sys: ${time}, total: ${time}\nWall time: ${time}\n`;
  const loops = String.raw`${time} ± ${time} per loop \(mean ± std\. dev\. of 2 runs, 10 loops each\)\n`;
  const slowest = String.raw`(?:The slowest run took .*\n)?`;
  assert.match(finished.stdout, new RegExp(`^${words}${slowest}${loops}${words}$`));
  assert.deepEqual([finished.error, shown(finished)], [null, [['json/object', [42, 3]]]]);
});

test('a cell that is timed as a whole shows its value; one that is repeated points to its own line', async (t) => {
  const timed = await run(t, '# @name timed\n%%time\ntotal = sum(range(10))\ntotal');
  const failed = await run(t, '%%timeit -n 1 n = 1\nn + 1\nn / 0');
  if (timed === undefined || failed === undefined) return;
  assert.match(timed.stdout, /^CPU times: .*\nWall time: .*\n$/);
  assert.deepEqual(shown(timed), [['json/object', 45]]);
  assert.deepEqual(
    failed.error?.traceback.map(({ line, text }) => [line, text]),
    [
      [1, '%%timeit -n 1 n = 1'],
      [3, 'n / 0'],
    ],
  );
});

test('what a captured cell prints and shows is kept for another cell', async (t) => {
  const captured = await run(t, "%%capture kept\nprint('hi')\n!echo from the shell\ndisplay(3)\n4", {
    wanted: ['kept'],
  });
  if (captured === undefined) return;
  assert.deepEqual(outcome(captured), { stdout: '', shown: [], error: null });
  const replayed = await run(t, 'kept.show()', { inputs: { kept: captured.input('kept') } });
  assert.deepEqual(replayed && outcome(replayed), {
    stdout: 'hi\nfrom the shell\n',
    shown: [
      ['json/object', 3],
      ['json/object', 4],
    ],
    error: null,
  });
});

test('files, folders, variables and names are at hand by magics', async (t) => {
  const written = await run(t, '%%writefile steps.py\nvalue = 5');
  const finished = await run(
    t,
    `%run steps.py
here = %pwd
%env COLOUR=teal
!echo $COLOUR
%who
value?
[value, here.endswith('work')]`,
  );
  if (written === undefined || finished === undefined) return;
  assert.equal(written.stdout, 'Writing steps.py\n');
  assert.match(finished.stdout, /^env: COLOUR=teal\nteal\nhere\t value\nType: int\nValue: 5\nDocstring:\n/);
  assert.deepEqual([finished.error, shown(finished)], [null, [['json/object', [5, true]]]]);
});

test('text that stands for something else is shown as that', async (t) => {
  const html = await run(t, '%%html\n<b>x</b>');
  const markdown = await run(t, '%%markdown\n# T');
  if (html === undefined || markdown === undefined) return;
  assert.deepEqual(
    [...shown(html), ...shown(markdown)],
    [
      ['text/html', '<b>x</b>'],
      ['text/markdown', '# T'],
    ],
  );
});

test('a cell installs nothing: packages that are there are told, others are to be added to the environment', async (t) => {
  const finished = await run(t, '!pip install -q numpy nosuchpackage==1');
  if (finished === undefined) return;
  assert.match(finished.stdout, /^numpy: the notebook has numpy [\d.]+\n$/);
  assert.equal(
    finished.error?.message,
    'A cell installs nothing. Add nosuchpackage==1 in the Environment panel, then remove this line: packages belong to the notebook and to the key of its results.',
  );
});

test('magics of a kernel say that there is nothing to do, and an unknown one what to do, before anything runs', async (t) => {
  const nothing = await run(t, '%matplotlib inline\n%load_ext autoreload\n%autoreload 2');
  const unknown = await run(t, 'print(1)\n%nosuch thing');
  if (nothing === undefined || unknown === undefined) return;
  const why = 'nothing to do, each run of a cell begins with fresh modules';
  assert.equal(nothing.stdout, `%load_ext autoreload: ${why}\n%autoreload: ${why}\n`);
  assert.deepEqual(
    [unknown.stdout, unknown.error?.error_type, unknown.error?.message, unknown.error?.traceback.at(-1)?.line],
    [
      '',
      'UnknownMagic',
      '%nosuch does not work here: remove it, or write in Python what it does; %lsmagic lists those that work',
      2,
    ],
  );
});

test('a last line that ends with ; shows its figure and not its value', async (t) => {
  const finished = await run(t, '%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);');
  if (finished === undefined) return;
  assert.deepEqual([finished.error, finished.displays.map(({ content_type }) => content_type)], [null, ['image/png']]);
});
