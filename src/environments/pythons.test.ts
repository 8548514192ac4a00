import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { findUv } from '../../scripts/setup/uv.js';
import { installedPythons } from './pythons.ts';

it('every interpreter that is offered is there and is what it is said to be, newest first', async () => {
  const found = await installedPythons(findUv());
  assert.ok(found.length > 0);
  for (const { command, fullVersion, version } of found) {
    const said = execFileSync(command, ['-I', '-S', '-c', 'import platform; print(platform.python_version())']);
    assert.equal(said.toString().trim(), fullVersion);
    assert.ok(fullVersion.startsWith(`${version}.`));
  }
  const minors = found.map(({ version }) => Number(version.split('.')[1]));
  assert.deepEqual(
    minors,
    minors.toSorted((a, b) => b - a),
  );
});
