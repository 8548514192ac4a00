import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { PACKAGE_OF_MODULE, suggestPythonInstall, suggestRInstall } from './suggestInstall.ts';

for (const [text, name] of [
  ["No module named 'cv2'", 'opencv-python'],
  ["No module named 'PIL.Image'", 'Pillow'],
  ["No module named 'a'\nNo module named 'b.c'", 'b'],
  ["No module named 'constructor'", 'constructor'],
] as const) {
  test(`${JSON.stringify(text)} suggests ${name}`, () => {
    assert.deepEqual(suggestPythonInstall([text]), { package: name, language: 'python' });
  });
}

test('the first text that names a module decides; none suggests nothing', () => {
  assert.deepEqual(suggestPythonInstall(['boom', "No module named 'yaml'"]), { package: 'pyyaml', language: 'python' });
  assert.equal(suggestPythonInstall(['boom', '']), null);
});

test('what would be missed next is suggested with it, each package once', () => {
  assert.deepEqual(suggestPythonInstall(["No module named 'pandas'"], ['matplotlib', 'mpl_toolkits', 'sklearn']), {
    package: 'pandas',
    language: 'python',
    also: ['matplotlib', 'scikit-learn'],
  });
});

test('R names its packages in quotes of its language', () => {
  for (const text of ["there is no package called 'data.table'", 'there is no package called ‘data.table’'])
    assert.deepEqual(suggestRInstall(text), { package: 'data.table', language: 'r' });
  assert.equal(suggestRInstall('boom'), null);
});

test('an import is the same package here as where notebooks are imported', () => {
  const engine = fs.readFileSync(new URL('../python/svc_engine/declared.py', import.meta.url), 'utf8');
  const [, table = ''] = /_PACKAGES = \{([\s\S]*?)\n\}/.exec(engine) ?? [];
  const pairs = [...table.matchAll(/"(\w+)": "([\w-]+)"/g)].map(
    ([, module = '', name = '']) => [module, name] as const,
  );
  assert.ok(pairs.length > 30);
  assert.deepEqual(
    pairs.filter(([module, name]) => PACKAGE_OF_MODULE[module]?.toLowerCase() !== name.toLowerCase()),
    [],
  );
});
