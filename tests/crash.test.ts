// kill -9 at any moment: no acknowledged edit is lost, no document is half written, no stored result is without its bytes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { artifactUri } from '../src/artifacts/index.ts';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { createRandom } from './kit/random.ts';
import { newHome, startServer } from './kit/server.ts';

const rounds = Number(process.env.SVC_TEST_CRASHES ?? 4);

describe('a server that is killed', () => {
  it('loses nothing that it answered for', { timeout: 600_000 + rounds * 20_000 }, async (t) => {
    const random = createRandom((line) => t.diagnostic(line));
    const home = newHome();
    const first = await startServer({ home });
    const { path: place } = await createTestNotebook(first, 'Crash');
    await first.stop();
    /** What the server has confirmed, and what it was told last without having answered. */
    const acknowledged = new Map<string, string>();
    const unanswered = new Map<string, string>();
    let edits = 0;

    for (let round = 0; round < rounds; round++) {
      const server = await startServer({ home });
      const notebook = await openTestNotebook(server, place);
      const { cells } = await notebook.state();
      for (const { id, source } of cells) {
        const confirmed = acknowledged.get(id);
        if (confirmed === undefined) continue;
        assert.ok(
          source === confirmed || source === unanswered.get(id),
          `cell ${id} has ${source}, confirmed was ${confirmed}`,
        );
        acknowledged.set(id, source);
      }
      for (const id of acknowledged.keys())
        assert.ok(
          cells.some((cell) => cell.id === id),
          `cell ${id} is gone`,
        );
      assertStoreIsWhole(place);

      unanswered.clear();
      const ids = cells.map(({ id }) => id);
      const killed = new Promise<void>((resolve) => setTimeout(resolve, 200 + random.below(1500))).then(() =>
        server.stop('SIGKILL'),
      );
      try {
        for (;;) {
          if (ids.length < 6) ids.push(await notebook.add(`n${ids.length} = 0`));
          const id = ids[random.below(ids.length)] ?? '';
          const source = `n${ids.indexOf(id)} = "${'x'.repeat(random.below(2000))}"  # ${edits}`;
          unanswered.set(id, source);
          const answer = await notebook.edit(id, source);
          assert.equal(answer.status, 200, answer.text);
          acknowledged.set(id, source);
          edits += 1;
          if (random.below(3) === 0) void notebook.run(id, 'force').catch(() => {});
        }
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
      }
      await killed;
    }
    t.diagnostic(`${edits} edits confirmed in ${rounds} lives`);
    assertStoreIsWhole(place);
    fs.rmSync(home, { recursive: true, force: true });
  });
});

/** Every version that is ready has its bytes, of the size that its row says. */
function assertStoreIsWhole(place: string): void {
  const store = path.join(place, '.svc/artifacts');
  const database = new DatabaseSync(path.join(store, 'artifacts.sqlite'), { readOnly: true });
  const rows = database.prepare("SELECT id, version, byte_size FROM artifact_versions WHERE state = 'ready'").all();
  for (const { id, version, byte_size } of rows) {
    const uri = artifactUri({ id: String(id), version: Number(version) });
    const file = path.join(store, 'blobs', `${uri.slice('svc://artifact/'.length)}.arrow`);
    assert.equal(fs.statSync(file).size, byte_size, uri);
  }
  database.close();
}
