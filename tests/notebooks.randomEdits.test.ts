// Whatever edits a notebook has behind it, its graph is what somebody is told who opens it afresh. A session keeps what an
// edit did not change, and prints it once; this holds it against one that knows of no edit.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { createRandom, type RandomSource } from './kit/random.ts';
import { startServer } from './kit/server.ts';
import { openSocket, type TestSocket } from './kit/socket.ts';

const names = ['a', 'b', 'c', 'd'] as const;
const headers = [
  '# @name first',
  '# @name second',
  '# @timeout 5',
  '# @env PLACE=here',
  '# @variant g one',
  '# @variant g two',
  '# @variant h one',
  '# @worker nowhere',
  '# @nocache',
  '# @loop max_iter=2 carry=a',
  '# @wrong',
] as const;

function randomSource(random: RandomSource): string {
  const [one, two] = [random.pick(names), random.pick(names)];
  const body = random.pick([
    `${one} = 1`,
    `${one} = ${two}`,
    `${one}.append(${two})`,
    `print(${one}, ${two})`,
    `def ${one}(x):\n    return x + ${two}`,
    `class ${one}:\n    size = 1`,
    `import os\n${one} = os.environ["PLACE"]`,
    `${one} = (`,
    '',
  ]);
  const header = random.below(3) === 0 ? [random.pick(headers), random.pick(headers)].slice(random.below(2)) : [];
  return [...header, body].join('\n');
}

/** The cells as frames name them, in order. */
const cellIds = async (notebook: TestNotebook): Promise<string[]> => (await notebook.state()).cells.map(({ id }) => id);

async function randomEdit(random: RandomSource, notebook: TestNotebook): Promise<void> {
  const ids = await cellIds(notebook);
  const some = ids[random.below(ids.length)] ?? '';
  const act = random.pick([
    'edit',
    'edit',
    'edit',
    'edit',
    'add',
    'add',
    'delete',
    'order',
    'env',
    'timeout',
    'variant',
  ]);
  if (act === 'add' || ids.length === 0) await notebook.add(randomSource(random));
  else if (act === 'edit') await notebook.edit(some, randomSource(random));
  else if (act === 'delete') await notebook.request('DELETE', `/cells/${some}`);
  else if (act === 'order') {
    const shuffled = ids.map((id) => ({ id, at: random.next() })).sort((one, other) => one.at - other.at);
    await notebook.request('PUT', '/cells/reorder', { cell_ids: shuffled.map(({ id }) => id) });
  } else if (act === 'env') await notebook.request('PUT', '/env', { env: { PLACE: String(random.below(3)) } });
  else if (act === 'timeout') await notebook.request('PUT', '/timeout', { timeout: 1 + random.below(9) });
  else await notebook.request('PUT', '/variant-groups/g', { active: random.pick(['one', 'two']) });
}

/** All that an edit tells of the graph: to the one who typed, and to another. */
async function told(editor: TestSocket, other: TestSocket, cellId: string, source: string) {
  const [from, otherFrom] = [editor.frames.length, other.frames.length];
  editor.send('cell_source_update', { cell_id: cellId, source });
  const frames = [
    editor.frame((frame) => frame.type === 'dag_update' && editor.frames.indexOf(frame) >= from),
    other.frame((frame) => frame.type === 'dag_update' && other.frames.indexOf(frame) >= otherFrom),
  ];
  const [own, others] = await Promise.all(frames);
  return { own: own?.payload, others: others?.payload };
}

/** The graph as the state of the notebook has it. `withSource`: the cell whose text travels along. */
async function expected(notebook: TestNotebook, withSource: string | null): Promise<object> {
  const { cells, dag, variant_groups } = await notebook.state();
  const { edges, roots, leaves, topological_order } = dag;
  return {
    edges,
    roots,
    leaves,
    topological_order,
    variant_groups,
    cells: cells.map((cell) => ({
      id: cell.id,
      defines: cell.defines,
      references: cell.references,
      upstream_ids: cell.upstream_ids,
      downstream_ids: cell.downstream_ids,
      is_leaf: cell.is_leaf,
      annotation_diagnostics: cell.annotation_diagnostics,
      shadow_warnings: cell.shadow_warnings ?? [],
      variant_group: cell.variant_group,
      variant_name: cell.variant_name,
      variant_active: cell.variant_active,
      is_module_cell: cell.is_module_cell,
      module_exports: cell.module_exports ?? null,
      created_by: cell.created_by,
      updated_by: cell.updated_by,
      source: cell.id === withSource ? cell.source : null,
    })),
  };
}

it('a graph after many edits is that of a notebook that was just opened', async (t) => {
  const random = createRandom((line) => t.diagnostic(line));
  await using server = await startServer();
  let notebook = await createTestNotebook(server, 'Edited');
  for (let round = 0; round < 2; round += 1) {
    const other = await openSocket(server.address, `/v1/notebooks/ws/${notebook.sessionId}`);
    for (let step = 0; step < 15; step += 1) {
      await randomEdit(random, notebook);
      const ids = await cellIds(notebook);
      const cellId = ids[random.below(ids.length)];
      if (cellId === undefined) continue;
      const { own, others } = await told(notebook.socket, other, cellId, randomSource(random));
      assert.deepEqual(own, await expected(notebook, null));
      assert.deepEqual(others, await expected(notebook, cellId));
    }
    const { cells, dag, variant_groups } = await notebook.state();
    await notebook.request('POST', '/close');
    notebook = await openTestNotebook(server, notebook.path);
    const fresh = await notebook.state();
    assert.deepEqual([cells, dag, variant_groups], [fresh.cells, fresh.dag, fresh.variant_groups]);
  }
});
