// Results and the packages of their notebook: a change makes stale what could notice it, and nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestNotebook, environmentReady, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startPackageIndex } from './kit/packageIndex.ts';
import { newHome, startServer } from './kit/server.ts';

const place = 'import os, shutil, sqlite3, sys, sysconfig\nsite = sysconfig.get_path("purelib")\n';
const sources = {
  plain: 'base = 40 + 2',
  below: 'double = base * 2',
  library: 'import json\nimport tinyone\nversion = json.dumps(tinyone.VERSION)',
  inVain: 'try:\n    import extra\n    has = True\nexcept ImportError:\n    has = False',
  looking: 'from importlib.util import find_spec\nfound = find_spec("extra") is not None',
  versionOf:
    'from importlib.metadata import PackageNotFoundError, version\ntry:\n    of_extra = version("Extra")\nexcept PackageNotFoundError:\n    of_extra = None',
  plugins: 'from importlib.metadata import entry_points\nplugins = [one.name for one in entry_points(group="shapes")]',
  all: 'from importlib.metadata import distributions\nnames = sorted(one.name for one in distributions())',
  folder: 'import os, sysconfig\ncount = len(os.listdir(sysconfig.get_path("purelib")))',
  modules: 'import pkgutil\ntops = len([one.name for one in pkgutil.iter_modules()])',
  access: `${place}can = os.access(os.path.join(site, "extra.py"), os.R_OK)`,
  link: `${place}lies = os.path.lexists(os.path.join(site, "extra.py"))`,
  script: `${place}tool = shutil.which("extra-tool", path=os.path.join(sys.prefix, "bin"))`,
  beside: `${place}config = os.path.exists(os.path.join(site, "extra.json"))`,
  descriptor: `${place}holder = os.open(site, os.O_RDONLY)\nheld = "extra.py" in os.listdir(holder)\nos.close(holder)`,
  database: `${place}try:\n    sqlite3.connect(f"file:{site}/extra.py?mode=ro", uri=True).close()\n    opens = True\nexcept sqlite3.Error:\n    opens = False`,
  asked: 'import looking\nasked = looking.has_extra()',
  program: 'import subprocess\nsaid = subprocess.run(["true"]).returncode',
  function: 'def shape(x):\n    import extra\n    return x',
  start: 'n = 0',
  loop: '# @loop max_iter=3 carry=n\nn = n + 1',
  loopInVain: '# @loop max_iter=2 carry=n\ntry:\n    import extra\nexcept ImportError:\n    pass\nn = n + 2',
  calling: 'try:\n    shaped = shape(1)\nexcept ImportError:\n    shaped = None',
};
type Name = keyof typeof sources;

/** Cells that could notice whatever comes. */
const always: readonly Name[] = ['all', 'folder', 'modules', 'script', 'descriptor', 'program'];
const inOrder = (names: readonly Name[]): string[] =>
  Object.keys(sources).filter((name) => names.includes(name as Name));

test('a change of packages makes stale what could notice it, on every way, and a restart changes nothing', async () => {
  await using index = await startPackageIndex(
    {
      tinyone: { '1.0': [], '2.0': [] },
      unrelated: { '1.0': [] },
      extra: { '1.0': [] },
      asking: { '1.0': [] },
      plugin: { '1.0': [] },
      late: { '1.0': [] },
    },
    {
      more: {
        plugin: { 'plugin-1.0.dist-info/entry_points.txt': '[shapes]\nround = plugin:VERSION\n' },
        extra: { 'extra.json': '{}', 'extra-1.0.data/scripts/extra-tool': '#!python\n' },
        asking: {
          'looking.py':
            'import os\ndef has_extra():\n    return os.path.exists(os.path.join(os.path.dirname(__file__), "extra.py"))\n',
        },
      },
    },
  );
  const home = newHome();
  const ids = new Map<Name, string>();
  let place: string;
  async function stale(notebook: TestNotebook): Promise<string[]> {
    const { cells } = await notebook.state();
    return [...ids].filter(([, id]) => cells.find((cell) => cell.id === id)?.status !== 'ready').map(([name]) => name);
  }
  {
    await using server = await startServer({ home, env: index.env });
    const notebook = await createTestNotebook(server, 'Packages');
    place = notebook.path;
    await environmentReady(notebook);
    const change = async (method: string, body: object): Promise<string[]> => {
      const { status, json } = await notebook.request(method, '/dependencies', body);
      assert.equal(status, 200, JSON.stringify(json));
      const found = new Set<string>(Object(json).stale_cell_ids);
      const told = [...ids].filter(([, id]) => found.has(id)).map(([name]) => name);
      assert.deepEqual(await stale(notebook), told);
      return told;
    };
    await change('POST', { package: 'tinyone==1.0' });
    await change('POST', { package: 'asking' });
    for (const [name, source] of Object.entries(sources)) ids.set(name as Name, await notebook.add(source));
    const runAll = async (): Promise<void> => {
      for (const id of ids.values()) await notebook.run(id);
      assert.deepEqual(await stale(notebook), []);
    };
    await runAll();
    assert.deepEqual(await change('POST', { package: 'unrelated' }), inOrder(always));
    await runAll();
    const asking = ['access', 'link', 'beside', 'database', 'asked'] as const;
    const ofExtra = inOrder([...always, 'inVain', 'looking', 'versionOf', ...asking, 'loopInVain', 'calling']);
    assert.deepEqual(await change('POST', { package: 'extra' }), ofExtra);
    await runAll();
    assert.deepEqual(await change('POST', { package: 'plugin' }), inOrder([...always, 'plugins']));
    await runAll();
    assert.equal((await notebook.request('PUT', '/strict-packages', { strict_packages: true })).status, 200);
    assert.deepEqual(await change('POST', { package: 'late' }), Object.keys(sources));
    await notebook.request('PUT', '/strict-packages', { strict_packages: false });
    await runAll();
    assert.deepEqual(await change('POST', { package: 'tinyone==2.0' }), inOrder([...always, 'library']));
  }
  {
    await using server = await startServer({ home, env: index.env });
    const notebook = await openTestNotebook(server, place);
    await environmentReady(notebook);
    assert.deepEqual(await stale(notebook), inOrder([...always, 'library']));
    // What holds is what a run gives: nothing is run for it.
    assert.equal((await notebook.run(ids.get('below') ?? '')).cache_hit, true);
  }
});
