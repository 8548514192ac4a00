import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { changeBetween, couldNotice, readInstalled } from './installed.ts';

/** An environment with these packages: the folder of each with the lines of its record; `metadata`: more of what they say, by name. */
function venvWith(packages: Record<string, readonly string[] | null>, metadata: Record<string, string> = {}): string {
  const venv = fs.mkdtempSync(path.join(os.tmpdir(), 'installed-'));
  const home = path.join(venv, 'lib/python3.13/site-packages');
  for (const [folder, lines] of Object.entries(packages)) {
    fs.mkdirSync(path.join(home, folder), { recursive: true });
    const [name = ''] = folder.split('-');
    fs.writeFileSync(path.join(home, folder, 'METADATA'), `Name: ${name}\n${metadata[name] ?? ''}\n`);
    if (lines) fs.writeFileSync(path.join(home, folder, 'RECORD'), [...lines, `${folder}/RECORD,,`, ''].join('\n'));
  }
  return venv;
}

const six = ['six.py,sha256=a,10', '__pycache__/six.cpython-313.pyc,,', 'six-1.17.0.dist-info/INSTALLER,sha256=b,2'];
const maps = ['google/maps/__init__.py,sha256=c,1', '"google/maps/a, b.py",sha256=d,1', '../../../bin/maps,sha256=e,9'];

it('what came, went or is another is told by what its packages put among the modules', async () => {
  const before = await readInstalled(venvWith({ 'six-1.17.0.dist-info': six, 'old_one-1.dist-info': ['old.py,h,1'] }));
  const after = await readInstalled(
    venvWith({
      // The same package: only what Python and the installer keep of it is other.
      'six-1.17.0.dist-info': ['six.py,sha256=a,10', 'six-1.17.0.dist-info/INSTALLER,sha256=x,3'],
      'google_maps-2.1.dist-info': maps,
      'fast.ext-3.dist-info': ['fast.cpython-313-x86_64-linux-gnu.so,h,1', 'fast.ext-3.dist-info/entry_points.txt,h,1'],
    }),
  );
  assert.deepEqual(changeBetween(before, after), {
    modules: new Set(['old', 'google', 'fast']),
    packages: new Set(['old-one', 'google-maps', 'fast-ext']),
    hasEntryPoints: true,
  });
  assert.deepEqual(changeBetween(after, after), { modules: new Set(), packages: new Set(), hasEntryPoints: false });
});

it('a package without sources counts with what it has instead', async () => {
  const before = await readInstalled(venvWith({ 'closed-1.dist-info': ['closed/__init__.pyc,h,1', 'alone.pyc,h,1'] }));
  const after = await readInstalled(venvWith({ 'closed-1.dist-info': ['closed/__init__.pyc,i,1', 'alone.pyc,h,1'] }));
  assert.deepEqual(changeBetween(before, after), {
    modules: new Set(['closed', 'alone']),
    packages: new Set(['closed']),
    hasEntryPoints: false,
  });
});

it('another version of a package counts with all that it had and has', async () => {
  const before = await readInstalled(venvWith({ 'tool-1.dist-info': ['tool.py,h,1', 'gone.py,h,1'] }));
  const after = await readInstalled(venvWith({ 'tool-2.dist-info': ['tool.py,h,1', 'come.py,h,1'] }));
  assert.deepEqual(changeBetween(before, after), {
    modules: new Set(['tool', 'gone', 'come']),
    packages: new Set(['tool']),
    hasEntryPoints: false,
  });
});

it('another form of the same version counts, also where only what it says of itself is other', async () => {
  const plain = ['tool.py,h,1', 'tool-1.dist-info/METADATA,h,1'];
  const before = await readInstalled(venvWith({ 'tool-1.dist-info': plain }));
  const after = await readInstalled(
    venvWith({ 'tool-1.dist-info': [...plain, 'tool-1.dist-info/entry_points.txt,h,1'] }),
  );
  assert.deepEqual(changeBetween(before, after), {
    modules: new Set(['tool']),
    packages: new Set(['tool']),
    hasEntryPoints: true,
  });
});

it('libraries that Python does not load itself count for whatever requires their package, however far', async () => {
  const rest = {
    'torch-1.dist-info': ['torch/__init__.py,h,1'],
    'vision-1.dist-info': ['vision.py,h,1'],
    'maybe-1.dist-info': ['maybe.py,h,1'],
    'other-1.dist-info': ['other.py,h,1'],
  };
  const requires = {
    torch: 'Requires-Dist: Fast_Blas>=1 ; platform_system == "Linux"',
    vision: 'Requires-Dist: torch[all] (==1)',
    maybe: 'Requires-Dist: fast-blas; extra == "fast"\n\nRequires-Dist: fast-blas',
  };
  const before = await readInstalled(
    venvWith({ ...rest, 'fast_blas-1.dist-info': ['fast/lib/libblas.so.12,h,1'] }, requires),
  );
  const after = await readInstalled(
    venvWith({ ...rest, 'fast_blas-2.dist-info': ['fast/lib/libblas.so.12,i,1'] }, requires),
  );
  assert.deepEqual(changeBetween(before, after), {
    modules: new Set(['fast', 'torch', 'vision']),
    packages: new Set(['fast-blas']),
    hasEntryPoints: false,
  });
});

it('nobody can say where a package does something at each start, tells nothing of itself, or runs the cells', async () => {
  const none = await readInstalled(venvWith({ 'six-1.17.0.dist-info': six }));
  for (const [folder, lines] of Object.entries({
    'starter-1.dist-info': ['starter.pth,h,1'],
    'silent-1.dist-info': null,
    'orjson-3.dist-info': ['orjson/__init__.py,h,1'],
  }))
    assert.equal(
      changeBetween(none, await readInstalled(venvWith({ 'six-1.17.0.dist-info': six, [folder]: lines }))),
      undefined,
    );
  assert.equal(changeBetween(undefined, none), undefined);
  assert.equal(await readInstalled(path.join(os.tmpdir(), 'not there')), undefined);
});

it('a cell could notice what it looked for, found or not', () => {
  const change = { modules: new Set(['google']), packages: new Set(['google-maps']), hasEntryPoints: false };
  const could = (used: string): boolean => couldNotice(used, change);
  assert.deepEqual(
    ['numpy pandas', 'google numpy', 'dist:google-maps', 'dist:google', 'entry-points', '* numpy', 'rpy2', ''].map(
      could,
    ),
    [false, true, true, false, false, true, true, false],
  );
  assert.equal(couldNotice('entry-points', { ...change, hasEntryPoints: true }), true);
  assert.equal(couldNotice('*', { modules: new Set(), packages: new Set(), hasEntryPoints: false }), false);
});
