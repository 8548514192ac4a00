import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestPythonInstall } from './suggestInstall.ts';

for (const [text, name] of [
  ["No module named 'cv2'", 'opencv-python'],
  ["No module named 'PIL.Image'", 'Pillow'],
  ["No module named 'a'\nNo module named 'b.c'", 'b'],
  ["No module named 'constructor'", 'constructor'],
] as const) {
  test(`${JSON.stringify(text)} suggests ${name}`, () => {
    assert.deepEqual(suggestPythonInstall(text), { package: name, language: 'python' });
  });
}

test('the first text that names a module decides; none suggests nothing', () => {
  assert.deepEqual(suggestPythonInstall('boom', "No module named 'yaml'"), { package: 'pyyaml', language: 'python' });
  assert.equal(suggestPythonInstall('boom', ''), null);
});
