import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { addComment, commentsFile, readComments, removeComment, resolveComment } from './comments.ts';

function folder(t: { after(work: () => void): void }): string {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-comments-'));
  t.after(() => fs.rmSync(made, { recursive: true }));
  return made;
}

it('comments lie beside the notebook, in their order, however many come at once', async (t) => {
  const directory = folder(t);
  assert.deepEqual(await readComments(directory), []);
  const texts = Array.from({ length: 20 }, (_, at) => `remark ${at}`);
  await Promise.all(texts.map((text) => addComment(directory, { cellId: 'c1', author: 'ann', text })));
  const found = await readComments(directory);
  assert.deepEqual(
    found.map(({ text }) => text),
    texts,
  );
  const [first, second] = found;
  await resolveComment(directory, first?.id ?? '', 'ben');
  await removeComment(directory, second?.id ?? '');
  const [left] = await readComments(directory);
  assert.deepEqual(left, { ...first, resolved_by: 'ben' });
  assert.equal((await resolveComment(directory, first?.id ?? '', null))[0]?.resolved_by, null);
  await assert.rejects(removeComment(directory, second?.id ?? ''), { kind: 'not_found' });
});

it('what another program writes there meanwhile stays', async (t) => {
  const directory = folder(t);
  const file = path.join(directory, commentsFile);
  const [first] = await addComment(directory, { cellId: 'c1', author: 'ann', text: 'ours' });
  const theirs = Array.from({ length: 20 }, (_, at) => ({ ...first, id: `t${at}`, text: `theirs ${at}` }));
  for (const [at, comment] of theirs.entries()) {
    const adding = addComment(directory, { cellId: 'c1', author: 'ann', text: `ours ${at}` });
    // Between reading and replacing lies a sync of what is to come.
    while (!fs.readdirSync(directory).some((name) => name.endsWith('.tmp'))) await setImmediate();
    const { schema_version, comments } = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(`${file}~`, JSON.stringify({ schema_version, comments: [...comments, comment] }));
    fs.renameSync(`${file}~`, file);
    await adding;
  }
  const found = (await readComments(directory)).map(({ text }) => text);
  const wanted = ['ours', ...theirs.flatMap(({ text }, at) => [`ours ${at}`, text])];
  assert.deepEqual(found.toSorted(), wanted.toSorted());
});

it('a file that cannot be read is told and stays as it is', async (t) => {
  const directory = folder(t);
  const file = path.join(directory, 'comments.json');
  const merged = '<<<<<<< HEAD\n{"schema_version": 1, "comments": []}\n';
  fs.writeFileSync(file, merged);
  await assert.rejects(readComments(directory), { kind: 'conflict' });
  await assert.rejects(addComment(directory, { cellId: 'c1', author: 'ann', text: 'x' }), { kind: 'conflict' });
  assert.equal(fs.readFileSync(file, 'utf8'), merged);
});
