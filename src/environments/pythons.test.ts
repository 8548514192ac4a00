import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
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

it('a uv that says nothing useful knows of no interpreters', async (context) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-uv-'));
  context.after(() => fs.rmSync(folder, { recursive: true }));
  const uv = path.join(folder, 'uv');
  const without = await installedPythons(undefined);
  for (const said of ['', 'error: unrecognized', '{}']) {
    fs.writeFileSync(uv, `#!/bin/sh\necho '${said}'\n`, { mode: 0o755 });
    assert.deepEqual(await installedPythons(uv), without);
  }
});
