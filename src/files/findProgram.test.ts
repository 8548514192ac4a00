import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { findProgram } from './findProgram.ts';

it('a program is the first executable file of its name on the path', (t) => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-path-'));
  t.after(() => fs.rmSync(root, { recursive: true }));
  const [empty, folder, text, program] = ['empty', 'folder', 'text', 'program'].map((name) => path.join(root, name));
  assert.ok(empty && folder && text && program);
  for (const place of [empty, path.join(folder, 'tool'), text, program]) fs.mkdirSync(place, { recursive: true });
  fs.writeFileSync(path.join(text, 'tool'), '', { mode: 0o644 });
  const searchPath = [empty, folder, text, program, '.', ''].join(path.delimiter);
  assert.equal(findProgram('tool', searchPath), undefined);
  fs.writeFileSync(path.join(program, 'tool'), '', { mode: 0o755 });
  assert.equal(findProgram('tool', searchPath), path.join(program, 'tool'));
});
