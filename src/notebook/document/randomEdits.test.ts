// Random edits of a notebook full of comments and unknown keys: what an edit returns is what a fresh reading finds, and
// nothing that no edit removed ever disappears.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { randomNumbers, seed, temporaryFolder } from '../testing.ts';
import {
  addCell,
  deleteCell,
  type Notebook,
  readNotebook,
  renameNotebook,
  reorderCells,
  setCellKeys,
  setCellSource,
  setConnections,
  setEnv,
  setMounts,
  setNotebookTimeout,
  setReactive,
  setVariantGroup,
  setWorkers,
} from './index.ts';
import { readToml, writeNotebook } from './testing.ts';

const styles = {
  blocks: `# keep top
notebook_id = "n" # keep id
unknown_top = [1, # keep array
  2]

# own a
[[cells]]
id = "a"
file = "a.py"
unknown_a = { x = 1 } # own a

# own b
[[cells]]
id = "b"
file = "b.py"
order = 1
[cells.unknown_b] # own b
deep = "own b"

# keep table
[unknown] # keep header
y = """
[[cells]] # keep string
"""

# keep end
`,
  inline: `# keep top
notebook_id = "n"
cells = [
    { id = "a", file = "a.py", order = 0, unknown_a = 1 }, # own a
    { id = "b", file = "b.py", order = 1 },
]
workers = []
mounts = []
`,
};

for (const [style, toml] of Object.entries(styles)) {
  it(`random edits of a document in ${style}`, async (context) => {
    context.diagnostic(`SVC_TEST_SEED=${seed}`);
    await using folder = await temporaryFolder();
    const directory = await writeNotebook(folder.path, toml, { 'a.py': '', 'b.py': '' });
    const random = randomNumbers(seed);
    let notebook = await readNotebook(directory);
    for (let step = 0; step < 80; step += 1) {
      notebook = await randomEdit(notebook, random, step);
      const message = `SVC_TEST_SEED=${seed}, step ${step}`;
      assert.deepEqual(notebook, await readNotebook(directory, notebook), message);
      const text = await readToml(directory);
      const gone = new Set(['a', 'b'].filter((id) => !notebook.cells.some((cell) => cell.id === id)));
      const kept = toml.match(/# keep \w+|own [ab]|unknown_\w+/g) ?? [];
      const missing = kept.filter((word) => !text.includes(word) && !gone.has(word.at(-1) ?? ''));
      assert.deepEqual(missing, [], `${message}:\n${text}`);
      assert.equal(/s3cret/.test(text), false, message);
    }
  });
}

async function randomEdit(notebook: Notebook, random: () => number, step: number): Promise<Notebook> {
  const below = (limit: number): number => Math.floor(random() * limit);
  const ids = notebook.cells.map(({ id }) => id);
  const cellId = ids[below(ids.length)];
  const mount = {
    name: `m${below(3)}`,
    uri: 's3://b',
    mode: 'ro',
    pin: null,
    options: { n: below(9) / 2 },
    credential: null,
  } as const;
  const edits: (() => Promise<Notebook>)[] = [
    () => renameNotebook(notebook, `Name "${step}" # é`),
    () => setNotebookTimeout(notebook, below(3) === 0 ? null : below(9) + 1),
    () => setReactive(notebook, below(2) === 0),
    () => setEnv(notebook, { A: String(step), MY_KEY: 's3cret', ...(below(2) === 0 ? {} : { B: '' }) }),
    () => setEnv(notebook, below(2) === 0 ? {} : { SECRET: 's3cret' }),
    () => setMounts(notebook, below(3) === 0 ? [] : [mount]),
    () =>
      setWorkers(
        notebook,
        [{ name: `w${below(3)}`, backend: 'executor' as const, runtime_id: null, config: { url: 'u', n: step } }].slice(
          below(2),
        ),
      ),
    () =>
      setConnections(notebook, [
        {
          name: `c${below(3)}`,
          driver: 'sqlite',
          auth: { user: 's3cret' },
          options: {},
          credential: null,
          extras: { path: 'p' },
        },
      ]),
    () =>
      setVariantGroup(notebook, `g${below(3)}`, { active: `v${below(3)}`, mode: below(2) === 0 ? 'switch' : 'sweep' }),
    async () =>
      (await addCell(notebook, { afterCellId: cellId ?? null, author: 'ada' }, { cellId: `n${step}` })).notebook,
    async () => (await addCell(notebook, { language: 'sql' }, { cellId: `n${step}` })).notebook,
    () => reorderCells(notebook, ids.filter(() => below(2) === 0).reverse()),
  ];
  if (cellId !== undefined) {
    edits.push(
      () => setCellSource(notebook, cellId, `x = ${step}\n`, `author${below(3)}`),
      () =>
        setCellKeys(notebook, cellId, { worker: below(2) === 0 ? null : 'gpu', timeout: below(2) === 0 ? null : 2.5 }),
      () =>
        setCellKeys(notebook, cellId, {
          env: below(2) === 0 ? {} : { X: '1', TOKEN: 's3cret' },
          mounts: below(2) === 0 ? [] : [mount],
        }),
      () => (ids.length > 2 ? deleteCell(notebook, cellId) : Promise.resolve(notebook)),
    );
  }
  const edit = edits[below(edits.length)];
  return edit === undefined ? notebook : edit();
}
