// Settings that cells share in Jupyter: a run tells what it made of them, and the runs below get it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Setting } from '../src/runtimes/index.ts';
import { startCells } from './kit/cells.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';

/** Runs cells one below the other; gives what each showed, and the names of the settings that it made. */
async function notebook(t: TestContext, ...sources: readonly string[]) {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return undefined;
  await using cells = startCells(interpreter);
  fs.mkdirSync(path.join(cells.folder, 'work/inner'));
  for (const [file, text] of Object.entries(standIns)) {
    fs.mkdirSync(path.join(cells.folder, 'work', path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(cells.folder, 'work', file), text);
  }
  let settings: Record<string, Setting> = {};
  const found = [];
  for (const source of sources) {
    const { error, displays, stderr, settings: told } = await cells.run(source, { settings });
    assert.equal(error?.text ?? null, null, source);
    settings = { ...settings, ...told?.made };
    found.push({ shown: displays[0]?.preview ?? null, stderr, made: Object.keys(told?.made ?? {}), told });
  }
  return found;
}

test('what a cell sets holds in the cells below', async (t) => {
  const cases: readonly (readonly [string, string, string, unknown])[] = [
    [
      'pandas',
      'import pandas as pd\npd.set_option("display.max_rows", 7)',
      'import pandas as pd\npd.options.display.max_rows',
      7,
    ],
    [
      'pandas',
      'import pandas as pd\nlast = -1\npd.DataFrame.last_of = lambda self, name: int(self[name].iloc[last])\npd.set_option("display.max_rows", 7)',
      'import pandas\n[pandas.DataFrame({"a": [1, 2]}).last_of("a"), pandas.options.display.max_rows]',
      [2, 7],
    ],
    [
      'pandas',
      `import pandas as pd
@pd.api.extensions.register_series_accessor('doubled')
class Doubled:
    def __init__(self, series): self.series = series
    def total(self): return int(self.series.sum() * 2)
pd.Index.count = property(lambda self: len(self))`,
      'import pandas\n[pandas.Series([1, 2]).doubled.total(), pandas.Index([3]).count]',
      [6, 1],
    ],
    [
      'matplotlib',
      'import matplotlib as mpl\ndef in_words(self): return f"the map {self.name}"\nmpl.colors.Colormap.__repr__ = in_words',
      'import matplotlib.pyplot as plt\nrepr(plt.cm.viridis)',
      'the map viridis',
    ],
    [
      'numpy',
      'import numpy as np\nnp.set_printoptions(precision=2)',
      'import numpy as np\nstr(np.array([1.2345]))',
      '[1.23]',
    ],
    [
      'numpy.errors',
      'import numpy as np\n_ = np.seterr(all="ignore")',
      'import numpy as np\nnp.geterr()["divide"]',
      'ignore',
    ],
    [
      'logging',
      'import logging\nlogging.basicConfig(level=logging.INFO, format="%(message)s")',
      'import logging\n[logging.root.level, len(logging.root.handlers), logging.root.handlers[0].formatter._fmt]',
      [20, 1, '%(message)s'],
    ],
    [
      'decimal',
      'import decimal\ndecimal.getcontext().prec = 5',
      'from decimal import Decimal\nstr(Decimal(1) / 3)',
      '0.33333',
    ],
    [
      'plotly',
      'import plotly.io as pio\npio.templates.default = "plotly_dark"',
      'import plotly.express as px\npx.line(y=[1, 2]).layout.template.layout.paper_bgcolor',
      'rgb(17,17,17)',
    ],
    [
      'polars',
      'import polars as pl\n_ = pl.Config.set_tbl_rows(2)',
      'import polars as pl\npl.Config.state()["POLARS_FMT_MAX_ROWS"]',
      '2',
    ],
    [
      'altair',
      'import altair as alt\n_ = alt.data_transformers.disable_max_rows()',
      'import altair as alt\nalt.data_transformers.options',
      { max_rows: null },
    ],
    ['folder', 'import os\nos.chdir("inner")', 'import os\nos.path.basename(os.getcwd())', 'inner'],
    ['path', 'import sys\nsys.path.append("/nowhere")', 'import sys\nsys.path[-1]', '/nowhere'],
    ['environment', 'import os\nos.environ["MODE"] = "test"', 'import os\nos.environ["MODE"]', 'test'],
    ['arguments', 'import sys\nsys.argv = ["prog", "-v"]', 'import sys\nsys.argv[1:]', ['-v']],
    ['recursion limit', 'import sys\nsys.setrecursionlimit(5000)', 'import sys\nsys.getrecursionlimit()', 5000],
  ];
  for (const [name, above, below, expected] of cases) {
    const ran = await notebook(t, above, below);
    if (!ran) return;
    assert.deepEqual([ran[0]?.made, ran[1]?.shown, ran[1]?.made], [[name], expected, []], above);
  }
});

/** What a cell does with them, and nothing else of them: the libraries are large. */
const standIns = {
  'xarray.py': `_own = {'display_style': 'html', 'display_width': 80}
get_options = lambda: _own
set_options = lambda **values: _own.update(values)`,
  'ibis.py': `from types import SimpleNamespace as Part
shown = Part(max_rows=10, max_columns=0, max_length=2, max_string=80, max_depth=1)
options = Part(interactive=False, repr=Part(interactive=shown))`,
  'jax.py': `class config:
    values = {'jax_enable_x64': False}
    update = values.__setitem__`,
  'control/__init__.py': 'from control import config',
  'control/config.py': "defaults = {'freqplot.dB': False}",
  'tqdm/__init__.py': '',
  'tqdm/std.py': `class tqdm:
    @classmethod
    def pandas(cls, desc=None):
        import pandas
        pandas.Series.progress_apply = lambda series, function: [desc, *series.map(function)]`,
  'holoviews/__init__.py': `class Store:
    renderers, current_backend = {}, 'matplotlib'
    @classmethod
    def set_current_backend(cls, name): cls.current_backend = name
from holoviews.util import extension, opts`,
  'holoviews/util.py': `from holoviews import Store
class extension:
    _backends = {'bokeh': 'bokeh', 'plotly': 'plotly'}
    def __init__(self, *names):
        Store.renderers.update(dict.fromkeys(names))
        Store.current_backend = names[0]
class opts:
    found = []
    @classmethod
    def defaults(cls, *options, **more): cls.found.append([*options, more])`,
};

test('what a cell sets of libraries that keep it in places of their own holds in the cells below', async (t) => {
  const cases: readonly (readonly [string, string, string, unknown])[] = [
    [
      'xarray',
      'import xarray as xr\nxr.set_options(display_style="text")',
      'import xarray\nxarray.get_options()',
      { display_style: 'text', display_width: 80 },
    ],
    [
      'ibis',
      'import ibis\nibis.options.interactive = True',
      'import ibis\n[ibis.options.interactive, ibis.shown.max_rows]',
      [true, 10],
    ],
    [
      'jax',
      'import jax\njax.config.update("jax_enable_x64", True)',
      'import jax\njax.config.values',
      { jax_enable_x64: true },
    ],
    [
      'control',
      'import control as ct\nct.config.defaults["freqplot.dB"] = True',
      'import control\ncontrol.config.defaults',
      { 'freqplot.dB': true },
    ],
    [
      'tqdm',
      'import pandas\nfrom tqdm.std import tqdm\ntqdm.pandas(desc="rows")',
      'import pandas\npandas.Series([1]).progress_apply(str)',
      ['rows', '1'],
    ],
    [
      'holoviews',
      'import holoviews as hv\nhv.extension("plotly", "bokeh")\nhv.Store.set_current_backend("bokeh")\nhv.opts.defaults("red", backend="bokeh")',
      'import holoviews as hv\n[list(hv.Store.renderers), hv.Store.current_backend, hv.opts.found]',
      [['plotly', 'bokeh'], 'bokeh', [['red', { backend: 'bokeh' }]]],
    ],
  ];
  for (const [name, above, below, expected] of cases) {
    const ran = await notebook(t, above, below);
    if (!ran) return;
    assert.deepEqual([ran[0]?.made, ran[1]?.shown, ran[1]?.made], [[name], expected, []], above);
  }
});

test('what cells put into a class of pandas stays there when a cell between sets an option', async (t) => {
  const found = await notebook(
    t,
    'import pandas as pd\npd.Series.first = property(lambda self: int(self.iloc[0]))',
    'import pandas\npandas.set_option("display.max_rows", 7)',
    'import pandas\n[pandas.Series([4]).first, pandas.options.display.max_rows]',
  );
  assert.deepEqual(
    found?.map(({ shown, made }) => [shown, made]),
    found && [
      [null, ['pandas']],
      [null, ['pandas']],
      [[4, 7], []],
    ],
  );
});

test('which results are shown holds in the cells below, however it was said', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  await using cells = startCells(interpreter);
  const source = 'n = 1\nn\nfor i in range(2):\n    i * 10\ndef f():\n    5\nf()\nif n:\n    "in a block"\n[n]';
  const shown = async (value: string, code: string): Promise<unknown[]> => {
    const { settings } = await cells.run(value);
    assert.deepEqual(Object.keys(settings?.made ?? {}), ['results'], value);
    const { displays, error } = await cells.run(code, { settings: settings?.made ?? {} });
    assert.equal(error?.text ?? null, null);
    return displays.map(({ preview }) => preview);
  };
  const all = [1, 0, 10, 'in a block', [1]];
  const choose =
    'from IPython.core.interactiveshell import InteractiveShell\nInteractiveShell.ast_node_interactivity =';
  assert.deepEqual(await shown('%config InteractiveShell.ast_node_interactivity = "all"', source), all);
  assert.deepEqual(await shown(`${choose} "all"`, source), all);
  assert.deepEqual(await shown("get_ipython().ast_node_interactivity = 'all'", `${source};`), []);
  assert.deepEqual(await shown(`${choose} "last_expr_or_assign"`, '1\nx = 2'), [2]);
  assert.deepEqual(await shown(`${choose} "none"`, '1\n2'), []);
});

test('random numbers go on from their seed, cell by cell, as they do in one process', async (t) => {
  const whole = await notebook(
    t,
    'import random\nimport numpy as np\nrandom.seed(1)\nnp.random.seed(2)\n[random.random(), random.random(), float(np.random.rand()), float(np.random.rand())]',
  );
  const parts = await notebook(
    t,
    'import random\nimport numpy as np\nrandom.seed(1)\nnp.random.seed(2)',
    'import random\n[random.random(), random.random()]',
    'x = 1',
    'import numpy as np\nfloat(np.random.rand())',
    'import numpy as np\nfloat(np.random.rand())',
  );
  if (!whole || !parts) return;
  assert.deepEqual([parts[1]?.shown, parts[3]?.shown, parts[4]?.shown].flat(), whole[0]?.shown);
  assert.deepEqual(
    parts.map(({ made }) => made),
    [['numpy.random', 'random'], ['random'], [], ['numpy.random'], ['numpy.random']],
  );
  const unseeded = await notebook(t, 'import random\nrandom.random()', 'import random\nrandom.random()');
  assert.deepEqual(
    unseeded?.map(({ made, told }) => [made, told?.used]),
    [
      [[], { random: null }],
      [[], { random: null }],
    ],
    'without a seed no cell has to wait for another',
  );
});

test('filters of warnings hold below; those of a block do not, and those of imports are no news', async (t) => {
  const warn = 'import warnings\nwarnings.warn("look")';
  const ran = await notebook(t, 'import warnings\nwarnings.filterwarnings("ignore")', warn);
  if (!ran) return;
  assert.deepEqual([ran[0]?.made, ran[1]?.stderr], [['warnings'], '']);
  const block = await notebook(
    t,
    'import warnings, pandas, numpy\nwith warnings.catch_warnings():\n    warnings.simplefilter("ignore")',
    warn,
  );
  assert.deepEqual([block?.[0]?.made, block?.[1]?.stderr.includes('UserWarning: look')], [[], true]);
});

test('a filter of one kind of warning does not bring its library into the cells below, and holds there', async (t) => {
  const ran = await notebook(
    t,
    'import warnings, getpass\nwarnings.filterwarnings("ignore", category=getpass.GetPassWarning)',
    'import warnings\nwarnings.filterwarnings("error", message="never")',
    'import sys, warnings\nwas_there = "getpass" in sys.modules\nimport getpass\n' +
      'warnings.warn("quiet", getpass.GetPassWarning)\nwarnings.warn("loud")\nwas_there',
  );
  if (!ran) return;
  const { shown, stderr = '' } = ran[2] ?? {};
  assert.deepEqual([shown, stderr.includes('quiet'), stderr.includes('loud')], [false, false, true]);
});

test('what looks like a secret is not written down', async (t) => {
  const ran = await notebook(t, 'import os\nos.environ["API_TOKEN"] = "x1"\nos.environ["MODE"] = "y"');
  assert.deepEqual(ran?.[0]?.made, ['environment']);
  const value = Buffer.from(ran?.[0]?.told?.made.environment?.value ?? '', 'base64').toString('latin1');
  assert.equal(value.includes('API_TOKEN'), false);
});

test('a cell that only uses a library sets nothing', async (t) => {
  const ran = await notebook(
    t,
    'import pandas as pd\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\npd.Series([1]).sum()',
  );
  assert.deepEqual(ran?.[0]?.made, []);
});
