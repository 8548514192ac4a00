// What a run tells of the packages that it could have noticed: of its own imports, found or not, and of nothing else, whether they
// were loaded ahead or not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCells } from './kit/cells.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';

const frame = 'import pandas as pd\nframe = pd.DataFrame({"a": [1]})\nframe';
const picture = 'import matplotlib.pyplot as plt\nplt.plot([1, 2])';
const home = 'import sysconfig\nhome = sysconfig.get_path("purelib")\n';
const cases: { source: string; has: string[]; lacks: string[] }[] = [
  { source: 'x = 1 + 1', has: [], lacks: ['numpy', 'pandas', 'pyarrow'] },
  { source: frame, has: ['numpy', 'pandas', 'numexpr', 'bottleneck'], lacks: ['matplotlib', 'PIL', 'absent', '*'] },
  { source: picture, has: ['matplotlib', 'numpy', 'PIL'], lacks: ['pandas', 'absent', '*', 'entry-points'] },
  { source: 'try:\n    import absent.part\nexcept ImportError:\n    pass', has: ['absent'], lacks: ['numpy'] },
  {
    source: 'from importlib.metadata import version\nv = version("Foo_Bar.x") if False else None',
    has: [],
    lacks: ['dist:foo-bar-x'],
  },
  {
    source: 'import importlib.metadata as m\nn = list(m.Distribution.discover(name="Foo_Bar.x"))',
    has: ['dist:foo-bar-x'],
    lacks: ['*'],
  },
  {
    source: 'import importlib.metadata as m\nn = len(m.entry_points(group="none"))',
    has: ['entry-points'],
    lacks: ['*'],
  },
  { source: 'import importlib.metadata as m\nn = len(list(m.distributions()))', has: ['*'], lacks: ['entry-points'] },
  {
    source: 'from importlib.machinery import PathFinder\nPathFinder.find_spec("absent")',
    has: ['absent'],
    lacks: ['*'],
  },
  // Whoever opens files of packages or asks for them by their names imports nothing.
  {
    source: `${home}try:\n    open(f"{home}/absent.py")\nexcept OSError:\n    pass`,
    has: ['absent'],
    lacks: ['*', 'numpy'],
  },
  {
    source: `${home}from pathlib import Path\nis_there = Path(home, "absent").exists()`,
    has: ['absent'],
    lacks: ['*'],
  },
  {
    source: `${home}import os\nis_there = os.path.isdir(home.replace("/lib/", "/lib64/") + "/absent.libs/part")`,
    has: ['absent.libs'],
    lacks: ['*'],
  },
  { source: `${home}import os\nparts = len(os.listdir(f"{home}/numpy"))`, has: ['numpy'], lacks: ['*', 'pandas'] },
  {
    source: `${home}is_there = __import__("os.path").path.exists(f"{home}/Foo_Bar-1.0.dist-info/METADATA")`,
    has: ['dist:foo-bar'],
    lacks: ['*'],
  },
  {
    source: `${home}import ctypes\ntry:\n    ctypes.CDLL(f"{home}/absent/libabsent.so")\nexcept OSError:\n    pass`,
    has: ['absent'],
    lacks: ['*'],
  },
];

test('a run tells which packages it looked for, first and when they lie there', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  await using cells = startCells(interpreter, { cells: () => cases.map(({ source }) => ({ source })) });
  for (const time of ['first', 'again'])
    for (const { source, has, lacks } of cases) {
      const told = (await cells.run(source, { wanted: ['frame'] })).packages?.split(' ') ?? [];
      const found = {
        has: has.filter((name) => told.includes(name)),
        lacks: lacks.filter((name) => !told.includes(name)),
      };
      assert.deepEqual(found, { has, lacks }, `${time}: ${source}: ${told.join(' ')}`);
    }
});

test('nothing is told where other processes may have looked', async (t) => {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return;
  await using cells = startCells(interpreter);
  const source =
    'from multiprocessing import get_context\np = get_context("fork").Process(target=print)\np.start()\np.join()';
  assert.equal((await cells.run(source)).packages, undefined);
});
