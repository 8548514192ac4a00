import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing.ts';
import { resolveInside } from './paths.ts';

describe('resolveInside', () => {
  it('resolves names, absolute paths, links within and what is not there yet', async () => {
    await using folder = await temporaryFolder();
    const root = folder.path;
    await fs.mkdir(path.join(root, 'a/b'), { recursive: true });
    await fs.symlink(path.join(root, 'a'), path.join(root, 'link'));
    const cases = [
      ['', root],
      ['.', root],
      ['a/b', `${root}/a/b`],
      ['a//./b/', `${root}/a/b`],
      [`${root}/a`, `${root}/a`],
      ['link/b', `${root}/a/b`],
      ['link/new/deep', `${root}/a/new/deep`],
      ['a/b..', `${root}/a/b..`],
    ] as const;
    for (const [raw, resolved] of cases) assert.equal(await resolveInside(root, raw, 'notebook path'), resolved, raw);
  });

  it('resolves a root that is itself a link', async () => {
    await using folder = await temporaryFolder();
    await fs.mkdir(path.join(folder.path, 'real'));
    await fs.symlink('real', path.join(folder.path, 'root'));
    assert.equal(await resolveInside(path.join(folder.path, 'root'), 'x', 'path'), `${folder.path}/real/x`);
  });

  const outside = 'Invalid parent path: must be inside configured notebook storage';
  const traversal = 'Invalid parent path: path traversal not allowed';
  const hidden = (part: string): string =>
    `Invalid parent path: ${part} is hidden, and hidden folders are those of programs; name a folder that does not start with a dot`;
  const unseen =
    'The parent path holds the sign U+202E, which nobody sees and which can make one name look like another; remove it';
  const refused: [title: string, raw: string, message: string][] = [
    ['a step up', 'a/../b', traversal],
    ['a step up by backslash', 'a\\..\\b', traversal],
    ['a step up inside an absolute path', '/tmp/../etc', traversal],
    ['an absolute path elsewhere', '/etc', outside],
    ['a link out', 'out', outside],
    ['a path through a link out', 'out/hostname', outside],
    ['a link to nothing', 'dangling', outside],
    ['a path below a link to nothing', 'dangling/x', outside],
    ['a circle of links', 'loop/x', 'Invalid parent path: its links lead in a circle'],
    ['a NUL byte', 'a\0b', 'Invalid parent path: a path cannot hold a NUL byte'],
    ['an over-long name', 'x'.repeat(300), 'Invalid parent path: a name in it is too long for the file system'],
    ['an over-long path', 'x/'.repeat(5000), 'Invalid parent path: it is too long for the file system'],
    ['a hidden folder', '.git/x', hidden('.git')],
    ['one that is not there yet', 'i/.svc', hidden('.svc')],
    ['two dots that are no step', '..a/b', hidden('..a')],
    ['a link to a hidden folder', 'aside/x', hidden('.svc')],
    ['a sign that nobody sees', 'a/b\u202egpj', unseen],
    [
      'half a surrogate pair',
      'a\ud800',
      'The parent path holds half of a surrogate pair, which no file can store; remove it',
    ],
  ];
  for (const [title, raw, message] of refused) {
    it(`refuses ${title}`, async () => {
      await using folder = await temporaryFolder();
      await fs.symlink('/etc', path.join(folder.path, 'out'));
      await fs.symlink('/nowhere', path.join(folder.path, 'dangling'));
      await fs.symlink('loop', path.join(folder.path, 'loop'));
      await fs.mkdir(path.join(folder.path, '.svc'));
      await fs.symlink('.svc', path.join(folder.path, 'aside'));
      await assert.rejects(resolveInside(folder.path, raw, 'parent path'), { kind: 'invalid', message });
    });
  }

  it('names the tenant folder where that is the boundary, and is not fooled by a common prefix', async () => {
    await using folder = await temporaryFolder();
    await fs.mkdir(path.join(folder.path, 'acme'));
    await fs.mkdir(path.join(folder.path, 'acme2'));
    await assert.rejects(
      resolveInside(path.join(folder.path, 'acme'), `${folder.path}/acme2`, 'project path', 'tenant'),
      {
        message: "Invalid project path: must be inside your tenant's own folder in the notebook storage",
      },
    );
  });
});
