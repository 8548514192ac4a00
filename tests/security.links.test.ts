// Cells of another user that put links where the server reads, writes, stores and removes for them: nothing beyond them is read,
// changed, moved or told, whether the link lies there when the cell ends or comes and goes meanwhile.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startForOther, withoutOther } from './kit/otherUser.ts';
import type { TestServer } from './kit/server.ts';

describe('a link that a cell of another user made', { skip: withoutOther }, () => {
  let server: TestServer;
  let notebook: TestNotebook;
  let secrets: string;
  const secret = 'known to the server alone';

  before(async () => {
    server = await startForOther({});
    secrets = path.join(server.home, 'secrets');
    fs.mkdirSync(secrets, { mode: 0o700 });
    fs.writeFileSync(path.join(secrets, 'key'), secret);
    notebook = await createTestNotebook(server, 'Linked');
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** Whether it is where it was, and nowhere among what the notebook keeps. */
  function assertUntouched(): void {
    assert.deepEqual(fs.readdirSync(secrets), ['key']);
    assert.equal(fs.readFileSync(path.join(secrets, 'key'), 'utf8'), secret);
    assert.equal(fs.statSync(path.join(secrets, 'key')).uid, 0);
    const blobs = path.join(notebook.path, '.svc/artifacts/blobs');
    for (const name of fs.readdirSync(blobs)) {
      assert.ok(fs.lstatSync(path.join(blobs, name)).isFile(), name);
      assert.ok(!fs.readFileSync(path.join(blobs, name)).includes(secret), name);
    }
  }

  it('in an output folder is left out, with all that it leads to', async () => {
    const { error } = await notebook.run(
      await notebook.add(`# @output_dir made
import os
open(f"{made}/mine", "w").write("mine")
os.symlink(${JSON.stringify(secrets)}, f"{made}/theirs")
os.symlink(${JSON.stringify(path.join(secrets, 'key'))}, f"{made}/key")`),
    );
    assert.equal(error, null);
    const { stdout } = await notebook.run(await notebook.add('import os\nprint(sorted(os.listdir(made)))'));
    assert.equal(stdout, "['mine']\n");
    assertUntouched();
  });

  for (const [where, folder] of [
    ['the output folder', 'moved'],
    ['the folder around it', 'os.path.dirname(moved)'],
  ] as const)
    it(`in place of ${where} fails the cell, with what to do`, async () => {
      const { error } = await notebook.run(
        await notebook.add(`# @output_dir moved
import os
os.rename(${folder}, "aside-${where.length}")
os.symlink(${JSON.stringify(where === 'the output folder' ? secrets : path.dirname(secrets))}, ${folder})`),
      );
      assert.match(error ?? '', /@output_dir moved: the folder that the cell was given is not there any more\. Write/);
      assertUntouched();
    });

  it('by the name of a file that the server writes itself is not written through', async () => {
    const { error } = await notebook.run(
      await notebook.add(`# @output_dir listed
import os
around = os.path.dirname(os.path.dirname(listed))
for name in ("listed.dirmanifest.json", "listed.listing.md"):
    os.symlink(${JSON.stringify(path.join(secrets, 'key'))}, f"{around}/{name}")`),
    );
    assert.equal(error, null);
    assertUntouched();
  });

  it('that comes and goes after its cell has ended leads nowhere', async () => {
    for (let round = 0; round < 12; round++) {
      await notebook.run(
        await notebook.add(`# @output_dir raced${round}
import os, time
for number in range(40):
    os.makedirs(f"{raced${round}}/sub{number}")
    open(f"{raced${round}}/sub{number}/key", "w").write("mine")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for other in range(3, 64):
            try: os.close(other)
            except OSError: pass
        end = time.time() + 3
        while time.time() < end and os.path.exists(raced${round}):
            for number in range(40):
                place, aside = f"{raced${round}}/sub{number}", f"{raced${round}}/aside{number}"
                for step in (lambda: os.rename(place, aside), lambda: os.symlink(${JSON.stringify(secrets)}, place), lambda: os.unlink(place), lambda: os.rename(aside, place)):
                    try: step()
                    except OSError: pass
    os._exit(0)
time.sleep(0.05)`),
      );
      assertUntouched();
    }
  });
});
