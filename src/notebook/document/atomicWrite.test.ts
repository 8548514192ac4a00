import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing.ts';
import { createAtomically, isTemporary, storageRefusal, writeAtomically } from './atomicWrite.ts';

describe('writeAtomically', () => {
  it('replaces the content, keeps the mode and leaves nothing else behind', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'x.toml');
    await fs.writeFile(file, 'old');
    await fs.chmod(file, 0o640);
    await writeAtomically(file, 'né');
    assert.deepEqual([await fs.readFile(file, 'utf8'), (await fs.stat(file)).mode & 0o777], ['né', 0o640]);
    assert.deepEqual(await fs.readdir(folder.path), ['x.toml']);
  });

  it('replaces a link, not what it leads to', async () => {
    await using folder = await temporaryFolder();
    const [link, target] = [path.join(folder.path, 'link'), path.join(folder.path, 'target')];
    await fs.writeFile(target, 'theirs');
    await fs.symlink(target, link);
    await writeAtomically(link, 'ours');
    assert.deepEqual([await fs.readFile(target, 'utf8'), await fs.readFile(link, 'utf8')], ['theirs', 'ours']);
  });

  it('writes nothing when its folder could not be synced afterwards', async (t) => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'x.toml');
    await fs.writeFile(file, 'old');
    const open = fs.open;
    // The last descriptor is gone when it is the folder's turn.
    t.mock.method(fs, 'open', async (...args: Parameters<typeof open>) => {
      if (args[0] === folder.path) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
      return open(...args);
    });
    await assert.rejects(writeAtomically(file, 'new'), { kind: 'unavailable' });
    assert.deepEqual([await fs.readFile(file, 'utf8'), await fs.readdir(folder.path)], ['old', ['x.toml']]);
  });

  it('takes its temporary file away when it fails', async () => {
    await using folder = await temporaryFolder();
    await fs.mkdir(path.join(folder.path, 'x'));
    await assert.rejects(writeAtomically(path.join(folder.path, 'x'), 'text'));
    assert.deepEqual(await fs.readdir(folder.path), ['x']);
  });
});

it('createAtomically leaves what is there', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'x');
  assert.deepEqual([await createAtomically(file, '1'), await createAtomically(file, '2')], [true, false]);
  assert.deepEqual([await fs.readFile(file, 'utf8'), await fs.readdir(folder.path)], ['1', ['x']]);
});

it('what the storage does not allow is said in words', () => {
  const of = (code: string) => storageRefusal(Object.assign(new Error(code), { code }));
  const kinds = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO'].map((code) => Object.entries(of(code) ?? {}));
  assert.deepEqual(
    kinds.map((entries) => new Map(entries).get('kind')),
    ['unavailable', 'unavailable', 'forbidden', 'forbidden', undefined],
  );
});

it('temporary names are told from others', () => {
  assert.deepEqual(['.a.py.0123456789abcdef0123456789abcdef.tmp', 'a.py', '.a.tmp'].map(isTemporary), [
    true,
    false,
    false,
  ]);
});
