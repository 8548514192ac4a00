// What people say about cells: beside the notebook, told to everybody, in exports when asked.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer } from './kit/server.ts';

const body = z.object({
  comments: z.array(
    z.object({ id: z.string(), text: z.string(), author: z.string(), resolved_by: z.string().nullable() }),
  ),
});

describe('comments on cells', () => {
  it('are kept in comments.json, told to whoever watches, and go into pages when asked for', async () => {
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Said');
    const id = await notebook.add('# @name first\n1 + 1');
    const said = await notebook.request('POST', `/cells/${id}/comments`, { text: ' Why two? ', author: 'ann' });
    assert.equal(said.status, 200);
    const [comment] = body.parse(said.json).comments;
    assert.deepEqual([comment?.text, comment?.author, comment?.resolved_by], ['Why two?', 'ann', null]);
    const { payload } = await notebook.socket.frame(({ type }) => type === 'notebook_comments');
    assert.deepEqual(payload, said.json);

    // Its author may edit it, and nobody else.
    const edit = (text: string, author: string) =>
      notebook.request('PATCH', `/comments/${comment?.id}`, { text, author });
    const other = await edit('Two it is', 'ben');
    assert.deepEqual([other.status, Object(other.json).detail.code], [409, 'comment_of_another']);
    const [edited] = Object((await edit('Why not three?', 'ann')).json).comments;
    assert.equal(typeof edited.edited_at, 'number');
    assert.equal(body.parse((await edit('Why two?', 'ann')).json).comments[0]?.text, 'Why two?');

    const resolved = await notebook.request('PATCH', `/comments/${comment?.id}`, { resolved: true, author: 'ben' });
    assert.equal(body.parse(resolved.json).comments[0]?.resolved_by, 'ben');
    assert.deepEqual((await notebook.request('GET', '/comments')).json, resolved.json);
    const page = (await notebook.request('GET', '/export?fmt=markdown&comments=true')).text;
    assert.match(page, /> ann, \d{4}-\d\d-\d\d, resolved by ben: Why two\?/);
    assert.doesNotMatch((await notebook.request('GET', '/export?fmt=markdown')).text, /Why two/);

    assert.equal((await notebook.request('POST', `/cells/${id}/comments`, { text: '  ' })).status, 422);
    assert.equal((await notebook.request('POST', '/cells/nobody/comments', { text: 'x' })).status, 404);
    assert.equal((await notebook.request('DELETE', '/comments/nothing')).status, 404);
    assert.equal((await notebook.request('DELETE', `/comments/${comment?.id}`)).status, 200);
    // As it was, resolved by whom it was.
    const restored = await notebook.request('POST', `/comments/${comment?.id}/restore`);
    assert.deepEqual([restored.status, restored.json], [200, resolved.json]);
    assert.deepEqual((await notebook.request('POST', `/comments/${comment?.id}/restore`)).json, resolved.json);
    assert.equal((await notebook.request('POST', '/comments/nothing/restore')).status, 404);
    assert.equal((await notebook.request('DELETE', `/comments/${comment?.id}`)).status, 200);

    const file = path.resolve(server.home, notebook.path, 'comments.json');
    assert.deepEqual(JSON.parse(fs.readFileSync(file, 'utf8')), { schema_version: 1, comments: [] });
    fs.writeFileSync(file, 'broken');
    const refused = await notebook.request('GET', '/comments');
    assert.equal(refused.status, 409);
    assert.match(refused.text, /comments_unreadable/);
  });
});
