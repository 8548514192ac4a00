// Names that several cells write, made explicit over REST in cells of every language: each cell gives what it gave before.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { ambiguousNamesBody, explicitPreviewBody, foreignReport, makeExplicitBody } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { addSql, setConnections } from './kit/sql.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

const preview = async (notebook: TestNotebook, name: string) => {
  const answer = await notebook.request('GET', `/names/explicit?name=${name}`);
  assert.equal(answer.status, 200, answer.text);
  return explicitPreviewBody.parse(answer.json);
};
const sources = async (notebook: TestNotebook) => (await notebook.state()).cells.map(({ source }) => source);

/** Numbers, the same by two definitions further down, a query over them, and a prompt that shows them. */
async function shop(name: string) {
  const notebook = await createTestNotebook(server, name);
  await setConnections(notebook, [{ name: 'mem', driver: 'duckdb', path: ':memory:' }]);
  const first = await notebook.add('rows = 3');
  const second = await notebook.add('rows = rows * 2  # twice\nprint(f"{rows} rows")');
  const query = await addSql(notebook, '# @sql connection=mem\n# @name rows\nSELECT :rows + 1 AS n -- :rows');
  const shown = await notebook.add(
    'print(rows["n"].to_pylist() if hasattr(rows, "column_names") else list(rows["n"]))',
  );
  const { id: prompt } = z
    .object({ id: z.string() })
    .parse(
      (await notebook.request('POST', '/cells', { language: 'prompt', source: 'Say {{ rows }} and {{rows.n}}, rows.' }))
        .json,
    );
  return { notebook, first, second, query, shown, prompt };
}

describe('a name that several cells write', () => {
  it('is told, looked at, and made explicit in every language as one edit that changes no result', async () => {
    const { notebook, first, second, query, shown, prompt } = await shop('Explicit');
    for (const id of [second, shown]) assert.equal((await notebook.run(id)).error, null);
    const before = await notebook.state();
    const ambiguous = ambiguousNamesBody.parse((await notebook.request('GET', '/names/ambiguous')).json);
    assert.deepEqual(ambiguous.names, [
      {
        name: 'rows',
        cells: [
          { cell_id: first, defines: true, reads_cell_id: null },
          { cell_id: second, defines: true, reads_cell_id: first },
          { cell_id: query, defines: true, reads_cell_id: second },
          { cell_id: shown, defines: false, reads_cell_id: query },
          { cell_id: prompt, defines: false, reads_cell_id: query },
        ],
      },
    ]);

    const { token, ...plan } = await preview(notebook, 'rows');
    assert.deepEqual(plan.steps, [
      { cell_id: second, name: 'rows_2' },
      { cell_id: query, name: 'rows_3' },
    ]);
    assert.deepEqual(
      plan.changes.map(({ lines }) => lines),
      [
        [
          { line: 1, before: 'rows = rows * 2  # twice', after: 'rows_2 = rows * 2  # twice' },
          { line: 2, before: 'print(f"{rows} rows")', after: 'print(f"{rows_2} rows")' },
        ],
        [
          { line: 2, before: '# @name rows', after: '# @name rows_3' },
          { line: 3, before: 'SELECT :rows + 1 AS n -- :rows', after: 'SELECT :rows_2 + 1 AS n -- :rows' },
        ],
        [
          {
            line: 1,
            before: 'print(rows["n"].to_pylist() if hasattr(rows, "column_names") else list(rows["n"]))',
            after: 'print(rows_3["n"].to_pylist() if hasattr(rows_3, "column_names") else list(rows_3["n"]))',
          },
        ],
        [
          {
            line: 1,
            before: 'Say {{ rows }} and {{rows.n}}, rows.',
            after: 'Say {{ rows_3 }} and {{rows_3.n}}, rows.',
          },
        ],
      ],
    );
    assert.deepEqual(
      await sources(notebook),
      before.cells.map(({ source }) => source),
      'a look changes nothing',
    );

    const told = notebook.framesUntil(({ type }) => type === 'notebook_state');
    const answer = await notebook.request('POST', '/names/explicit', { name: 'rows', token });
    const made = makeExplicitBody.parse(answer.json);
    await told;
    assert.deepEqual(made.changes, plan.changes);
    const after = await notebook.state();
    assert.deepEqual(
      after.cells.map(({ upstream_ids }) => upstream_ids),
      before.cells.map(({ upstream_ids }) => upstream_ids),
    );
    assert.deepEqual((await notebook.run(shown)).error, null);
    assert.deepEqual(
      (await notebook.cell(shown)).console_stdout,
      before.cells.find(({ id }) => id === shown)?.console_stdout,
    );
    assert.deepEqual(ambiguousNamesBody.parse((await notebook.request('GET', '/names/ambiguous')).json).names, []);

    // Whoever takes it back writes what `before` says.
    for (const { cell_id, before: text } of made.changes) await notebook.edit(cell_id, text);
    assert.deepEqual(
      await sources(notebook),
      before.cells.map(({ source }) => source),
    );
  });

  it('is refused whole when anything changed since it was looked at, also on disk', async () => {
    const { notebook, first, second } = await shop('Outdated');
    const { token } = await preview(notebook, 'rows');
    await notebook.edit(first, 'rows = 4');
    const answer = await notebook.request('POST', '/names/explicit', { name: 'rows', token });
    assert.deepEqual([answer.status, Object(answer.json).detail.code], [409, 'preview_outdated']);

    const again = await preview(notebook, 'rows');
    const file = path.join(notebook.path, 'cells', `${second}.py`);
    const place = (await fs.readdir(path.dirname(file))).find((name) => name.includes(second)) ?? '';
    await fs.writeFile(path.join(path.dirname(file), place), 'rows = rows * 5\n');
    const refused = await notebook.request('POST', '/names/explicit', { name: 'rows', token: again.token });
    assert.equal(refused.status, 409, refused.text);
    const texts = await sources(notebook);
    assert.ok(!texts.join('\n').includes('rows_2'), texts.join('\n'));
  });

  it('that means something else by another name is left, with the reason', async () => {
    const notebook = await createTestNotebook(server, 'Kept');
    await notebook.add('n = 1\ndef f(): return n');
    const second = await notebook.add('n = 2');
    await notebook.add('f()');
    const once = await notebook.request('GET', '/names/explicit?name=f');
    assert.deepEqual(once.json, {
      detail: {
        code: 'name_not_ambiguous',
        name: 'f',
        message: 'f is not written by several cells: there is nothing to make explicit',
      },
    });
    const kept = await notebook.request('GET', '/names/explicit?name=n');
    assert.equal(Object(kept.json).detail.message, 'n keeps its name: `f` of cell 1 reads it when it is called');
    await notebook.edit(second, '# @loop max_iter=3 carry=n\nn = 2');
    assert.match(
      Object((await notebook.request('GET', '/names/explicit?name=n')).json).detail.message,
      /in cell 2 the annotation @loop names it/,
    );
  });

  it('that a label, another language or tests name is left, each with its reason', async () => {
    const reasonOf = async (title: string, source: string, language = 'python', tests = ''): Promise<string> => {
      const notebook = await createTestNotebook(server, title);
      await notebook.add('n = 1');
      const after_cell_id = await notebook.add('n = 2');
      const added = await notebook.request('POST', '/cells', { after_cell_id, language, source });
      const { id } = Object(added.json);
      if (tests !== '') await notebook.request('PUT', `/cells/${id}/tests`, { source: tests });
      const { json } = await notebook.request('GET', '/names/explicit?name=n');
      return String(Object(json).detail?.message);
    };
    assert.deepEqual(
      [
        await reasonOf('Labelled', 'print(f"{n=}")'),
        await reasonOf('In R', 'print(n)', 'r'),
        await reasonOf('In JavaScript', 'console.log(n)', 'javascript'),
        await reasonOf('Tested', 'm = n + 1', 'python', 'def test_it(cell): assert cell.n == 2'),
      ],
      [
        'n keeps its name: in cell 3 the text of an f-string shows the name (`{n=}`)',
        'n keeps its name: in cell 3 an R cell uses it, and R is not rewritten',
        'n keeps its name: in cell 3 a JavaScript cell uses it, and JavaScript is not rewritten',
        'n keeps its name: in cell 3 the tests of the cell name it',
      ],
    );
  });

  it('stands in the report of an import, with whose value each cell reads', async () => {
    const cells = ['df = [1]', 'df.append(2)', 'df = df + [3]', 'print(df)'].map((source) => ({
      cell_type: 'code',
      source,
      outputs: [],
    }));
    const form = new FormData();
    form.append('file', new Blob([JSON.stringify({ nbformat: 4, metadata: {}, cells })]), 'Names.ipynb');
    const answer = await fetch(`${server.address}/v1/notebooks/import`, { method: 'POST', body: form });
    const { import_report: report } = z.object({ import_report: foreignReport }).parse(await answer.json());
    const ids = report.ambiguous_names[0]?.cells.map(({ cell_id }) => cell_id) ?? [];
    assert.deepEqual(report.ambiguous_names, [
      {
        name: 'df',
        cells: [
          { cell_id: ids[0], defines: true, reads_cell_id: null },
          { cell_id: ids[1], defines: false, reads_cell_id: ids[0] },
          { cell_id: ids[2], defines: true, reads_cell_id: ids[1] },
          { cell_id: ids[3], defines: false, reads_cell_id: ids[2] },
        ],
      },
    ]);
    assert.match(
      report.report_text,
      /- `df` is made by cells 1, 3; cell 2 reads that of cell 1, cell 3 reads that of cell 2, cell 4 reads that of cell 3/,
    );
  });
});
