import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord } from '../../protocol/index.ts';
import { blocksOf } from './blocks.ts';
import { jupyterNotebook } from './ipynb.ts';
import { wholeRecords } from './wholeOutputs.ts';

const mebibyte = 1024 * 1024;

const cell = (id: string, display: object): CellRecord => ({
  id,
  source: 'page',
  test_source: '',
  language: 'python',
  order: 0,
  created_by: null,
  updated_by: null,
  status: 'ready',
  defines: [],
  references: [],
  mutation_defines: [],
  builtin_references: [],
  upstream_ids: [],
  downstream_ids: [],
  worker: null,
  worker_override: null,
  timeout: null,
  timeout_override: null,
  env: {},
  env_overrides: {},
  variant_group: null,
  variant_name: null,
  variant_active: true,
  annotation_diagnostics: [],
  is_leaf: true,
  staleness: null,
  staleness_reasons: [],
  artifact_uri: null,
  artifact_uris: {},
  display_outputs: [{ content_type: 'text/html', inline_text: null, ...display }],
  display_output: null,
  console_stdout: '',
  console_stderr: '',
  error: null,
  cache_hit: false,
  execution_method: null,
});

test('an output that an export cannot hold is told in words, with the way to it, in every format', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-whole-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const place = path.join(folder, 'page');
  fs.writeFileSync(place, 'x'.repeat(20 * mebibyte));
  const stored = (name: string) => ({ artifact_uri: `svc://artifact/${name}@v=1`, bytes: 20 * mebibyte });
  const cells = await wholeRecords({
    cellRecords: () => [
      cell('kept', stored('page')),
      cell('over', stored('page')),
      cell('collected', { ...stored('gone'), bytes: 3 }),
      cell('nowhere', { artifact_uri: null }),
    ],
    blobPath: ({ id }) => path.join(folder, id),
  });
  const over =
    'Left out of this file: an output of 20 MiB (text/html), since all outputs together may take 32 MiB. The notebook shows it, and a snapshot of the notebook holds it.';
  const gone =
    'Left out of this file: an output (text/html) whose bytes are not kept any more. Run the cell again, then export again.';
  const book = Object(
    jupyterNotebook({ name: 'n', cells, imported: () => undefined, facts: { metadata: {}, cells: {}, others: [] } }),
  );
  assert.deepEqual(
    book.cells.map(({ outputs }: { outputs: { data: object }[] }) =>
      outputs.map(({ data }) =>
        Object.entries(data).map(([type, text]) => [type, text.length > 1000 ? 'whole' : text]),
      ),
    ),
    [
      [
        [
          ['text/html', 'whole'],
          ['text/plain', '<output>'],
        ],
      ],
      [[['text/plain', over]]],
      [[['text/plain', gone]]],
      [[['text/plain', gone]]],
    ],
  );
  const options = { appView: true, inactiveVariants: false, console: false, comments: false, maxOutputBytes: mebibyte };
  const blocks = blocksOf({ name: 'n', readme: null, cells, comments: [] }, options);
  assert.deepEqual(
    blocks.flatMap((block) => (block.kind === 'note' ? [block.text] : block.kind === 'page' ? ['page'] : [])),
    ['page', over, gone, gone],
  );
});
