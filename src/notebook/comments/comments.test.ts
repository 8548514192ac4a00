import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { addComment, commentsFile, readComments, removeComment, resolveComment, restoreComment } from './comments.ts';

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

it('deleted comments come back within the limit only', async (t) => {
  const directory = folder(t);
  const [first] = await addComment(directory, { cellId: 'c1', author: 'ann', text: 'x' });
  assert.ok(first);
  await removeComment(directory, first.id);
  const comments = Array.from({ length: 2000 }, (_, at) => ({ ...first, id: `n${at}` }));
  fs.writeFileSync(path.join(directory, commentsFile), JSON.stringify({ schema_version: 1, comments }));
  await assert.rejects(restoreComment(directory, first.id), { kind: 'conflict' });
  await removeComment(directory, 'n0');
  assert.equal((await restoreComment(directory, first.id)).length, 2000);
});

it('deleted comments of few notebooks are remembered, and none that are larger than what people say', async (t) => {
  const directory = folder(t);
  const [said] = await addComment(directory, { cellId: 'c1', author: 'ann', text: 'x' });
  assert.ok(said);
  const comments = [said, { ...said, id: 'large', text: 'x'.repeat(1_000_000) }];
  fs.writeFileSync(path.join(directory, commentsFile), JSON.stringify({ schema_version: 1, comments }));
  await removeComment(directory, 'large');
  await removeComment(directory, said.id);
  await assert.rejects(restoreComment(directory, 'large'), { kind: 'not_found' });
  const others = Array.from({ length: 100 }, (_, at) => path.join(directory, `${at}`));
  await Promise.all(
    others.map(async (place) => {
      fs.mkdirSync(place);
      const [one] = await addComment(place, { cellId: 'c1', author: 'ann', text: 'x' });
      await removeComment(place, one?.id ?? '');
    }),
  );
  await assert.rejects(restoreComment(directory, said.id), { kind: 'not_found' });
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
  fs.writeFileSync(file, '['.repeat(8_000_000));
  await assert.rejects(readComments(directory), { kind: 'conflict', message: /is not the JSON that is written there/ });
  const merged = '<<<<<<< HEAD\n{"schema_version": 1, "comments": []}\n';
  fs.writeFileSync(file, merged);
  await assert.rejects(readComments(directory), { kind: 'conflict' });
  await assert.rejects(addComment(directory, { cellId: 'c1', author: 'ann', text: 'x' }), { kind: 'conflict' });
  assert.equal(fs.readFileSync(file, 'utf8'), merged);
});
