// The tool behind `npm run test:notebooks`: it sees differences, overlooks what says the same, and some quick notebooks of its
// corpus give here what they give in Jupyter. The whole corpus takes too long for this place.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { jupyterEnvironment } from './kit/notebookEnvironment.ts';
import { check } from './notebooks/check.ts';
import { compareOutputs } from './notebooks/compare.ts';
import { ownCorpus, readCorpus } from './notebooks/corpus.ts';
import { jupyterFile } from './notebooks/percentCells.ts';
import { openHere } from './notebooks/runHere.ts';
import { openThere } from './notebooks/runThere.ts';
import type { Outputs, Shown } from './notebooks/shown.ts';

const outputs = (some: Partial<Outputs>): Outputs => ({ stdout: '', stderr: '', shown: [], error: null, ...some });
const text = (words: string): Shown => ({ kind: 'text', text: words });
const html = (words: string): Shown => ({ kind: 'html', text: words });
const differences = (there: Partial<Outputs>, here: Partial<Outputs>): string[] =>
  compareOutputs(outputs(there), outputs(here)).differences.map(({ what }) => what);

describe('outputs compared', () => {
  const frame = html(
    '<table><thead><tr><th></th><th>x</th><th>y</th></tr></thead><tbody><tr><th>0</th><td>0.333333</td><td>NaN</td></tr></tbody></table>',
  );
  const table = (row: unknown[]): Shown => ({ kind: 'table', columns: ['x', 'y'], rows: [row] });

  it('are the same where only notation, digits beyond those shown, addresses and times differ', () => {
    assert.deepEqual(
      [
        differences({ stdout: 'took 3.1 ms\n' }, { stdout: 'took 14.9 ms\n' }),
        differences({ shown: [text("{'a': [1, None, True]}")] }, { shown: [text('{"a":[1,null,true]}')] }),
        differences({ shown: [text('<A at 0x7f32f894dbe0>')] }, { shown: [text('<A object at 0x7f0000000be0>')] }),
        differences({ shown: [frame] }, { shown: [table([1 / 3, null])] }),
        differences({ error: 'ValueError: no' }, { error: 'ValueError: no' }),
      ],
      [[], [], [], [], []],
    );
  });

  it('differ in words, numbers, cells of tables, shapes of pictures, kinds and what is missing', () => {
    const picture = (width: number): Shown => ({ kind: 'picture', width, height: 100 });
    assert.deepEqual(
      [
        differences({ stdout: 'one' }, { stdout: 'two' }),
        differences({ shown: [text('0.25')] }, { shown: [text('0.26')] }),
        differences({ shown: [text('41')] }, { shown: [text('42')] }),
        differences({ shown: [frame] }, { shown: [table([0.3, null])] }),
        differences({ shown: [picture(100)] }, { shown: [picture(300)] }),
        differences({ shown: [html('x')] }, { shown: [text('x')] }),
        differences({ shown: [text('x')] }, {}),
        differences({ error: 'ValueError: no' }, { error: 'TypeError: no' }),
      ],
      [['stdout'], ['text'], ['text'], ['html'], ['picture'], ['html'], ['text'], ['error']],
    );
  });
});

it('a notebook of the corpus is a Python file with magics behind comments', () => {
  const { cells } = jupyterFile(
    '# %% [markdown]\n# # Title\n# %% tags=["raises-exception"]\n# %time x = 1\n# a comment\nx\n# %%\n# %%bash\n# ls\n',
  ) as { cells: { cell_type: string; source: string; metadata: { tags: string[] } }[] };
  assert.deepEqual(
    cells.map(({ cell_type, source, metadata }) => [cell_type, source, metadata.tags]),
    [
      ['markdown', '# Title', []],
      ['code', '%time x = 1\n# a comment\nx', ['raises-exception']],
      ['code', '%%bash\nls', []],
    ],
  );
});

it('quick notebooks of the corpus are green here and show what Jupyter shows', async (t) => {
  const interpreter = await jupyterEnvironment(t);
  if (interpreter === undefined) return;
  const environment = path.dirname(path.dirname(interpreter));
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-corpus-'));
  t.after(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await using there = await openThere(environment);
  await using here = await openHere(folder, environment);
  const quick = [
    'basics_lists_grow',
    'basics_names_reused',
    'course_exercises',
    'classes_redefined',
    'files_written_and_read',
  ];
  for (const notebook of await readCorpus(ownCorpus)) {
    if (!quick.includes(notebook.name)) continue;
    const checked = await check(notebook, undefined, { there, here });
    assert.deepEqual(
      { name: checked.name, green: checked.greenHere, differences: checked.differences },
      { name: notebook.name, green: notebook.cells.length, differences: [] },
    );
  }
});
