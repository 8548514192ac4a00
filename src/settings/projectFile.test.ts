import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readProjectSection } from './projectFile.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-project-'));
after(() => rmSync(root, { recursive: true }));

function directoryWith(name: string, source: string | null): string {
  const directory = join(root, name);
  mkdirSync(directory);
  if (source !== null) writeFileSync(join(directory, 'pyproject.toml'), source);
  return directory;
}

function section(name: string, source: string | null) {
  const cwd = directoryWith(name, source);
  const { values, problems } = readProjectSection(cwd);
  // The parser's tables have no prototype; a clone has the ordinary one.
  return { values: structuredClone(values), problems: problems.map((problem) => problem.replace(cwd, '')) };
}

test('a directory without a project file, or one without our section, has no values', () => {
  assert.deepEqual(section('none', null), { values: {}, problems: [] });
  assert.deepEqual(section('other', '[project]\nname = "x"\n[tool.uv]\nbig = 9007199254740993\n'), {
    values: {},
    problems: [],
  });
});

test('the section is read as it stands', () => {
  const source = '[tool.svc]\nport = 80\nallowed_hosts = ["a"]\n[tool.svc.acl]\ndefault = "deny"\n';
  assert.deepEqual(section('values', source), {
    values: { port: 80, allowed_hosts: ['a'], acl: { default: 'deny' } },
    problems: [],
  });
});

test('a malformed file names itself and the line', () => {
  assert.deepEqual(section('malformed', '[tool.svc]\nhost = "a"\nport = = 3\n').problems, [
    '/pyproject.toml, line 3, column 8: invalid TOML: invalid value; correct the file',
  ]);
});

test('a section that is not a table', () => {
  assert.deepEqual(section('scalar', '[tool]\nsvc = 3\n').problems, [
    'tool.svc in /pyproject.toml is not a table; write the settings under [tool.svc]',
  ]);
  assert.deepEqual(section('tool', 'tool = 3\n').problems, [
    'tool in /pyproject.toml is not a table; write the settings under [tool.svc]',
  ]);
});

test('a project file that cannot be read', () => {
  const cwd = directoryWith('directory', null);
  mkdirSync(join(cwd, 'pyproject.toml'));
  assert.deepEqual(readProjectSection(cwd).problems, [
    `${join(cwd, 'pyproject.toml')} cannot be read: EISDIR: illegal operation on a directory, read; make it readable or remove it`,
  ]);
});
