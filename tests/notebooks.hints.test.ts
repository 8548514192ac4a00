// What an editor is told while somebody types in a Python cell.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type HelpBody, helpBody, type SuggestionsBody, suggestionsBody } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { untilGiven } from './kit/until.ts';

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'Hints');
});
after(() => server[Symbol.asyncDispose]());

/** The cursor is where the bar is. */
async function hint(cellId: string, ask: string, marked: string): Promise<unknown> {
  const offset = marked.indexOf('|');
  const source = marked.replace('|', '');
  const answer = await notebook.request('POST', `/cells/${cellId}/${ask}`, { source, offset });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const completeOnce = async (cellId: string, marked: string): Promise<SuggestionsBody> =>
  suggestionsBody.parse(await hint(cellId, 'complete', marked));
/** A busy machine may not know it in time; whoever types on asks again. */
const complete = (cellId: string, marked: string): Promise<SuggestionsBody> =>
  untilGiven(async () => {
    const answer = await completeOnce(cellId, marked);
    return answer.items.length > 0 ? answer : undefined;
  }, `something to be offered for ${marked}`);
const help = async (cellId: string, marked: string): Promise<HelpBody> =>
  helpBody.parse(await hint(cellId, 'help', marked));

const labels = ({ items }: SuggestionsBody): string[] => items.map(({ label }) => label);

describe('while somebody types', () => {
  it('offers what the values of other cells have, stored or not', async () => {
    const maker = await notebook.add('import collections\nprices = {"apple": 1, "pear": 2}\nfruit = "apple"');
    const reader = await notebook.add('prices');
    await notebook.run(reader);
    assert.deepEqual(await complete(reader, 'prices["a|'), {
      items: [
        { label: 'apple', kind: 'key' },
        { label: 'pear', kind: 'key' },
      ],
      from: 8,
      truncated: false,
    });
    assert.deepEqual(await complete(reader, 'prices.ite|'), {
      items: [{ label: 'items', kind: 'function' }],
      from: 7,
      truncated: false,
    });
    // Nobody reads this one, so nobody stored it.
    assert.deepEqual(await complete(reader, 'fruit.spl|'), {
      items: [
        { label: 'split', kind: 'function' },
        { label: 'splitlines', kind: 'function' },
      ],
      from: 6,
      truncated: false,
    });
    assert.equal((await notebook.cell(maker)).status, 'ready');
  });

  it('reads the code where nothing has run yet', async () => {
    await notebook.add(
      'def area_of(width, height=2):\n    "How much it covers."\n    return width * height\nboxed = [1]',
    );
    const reader = await notebook.add('1');
    assert.deepEqual(await complete(reader, 'boxed.app|'), {
      items: [{ label: 'append', kind: 'function' }],
      from: 6,
      truncated: false,
    });
    assert.deepEqual(await help(reader, 'area_of(|'), {
      signature: 'area_of(width, height=2)',
      text: 'How much it covers.',
    });
    assert.deepEqual(await complete(reader, 'import math\nmath.isq|'), {
      items: [{ label: 'isqrt', kind: 'function' }],
      from: 17,
      truncated: false,
    });
  });

  it('counts as editors do, whatever stands before the cursor', async () => {
    const cell = await notebook.add('1');
    assert.deepEqual(await complete(cell, '"🎉é"; "".isa|'), {
      items: ['isalnum', 'isalpha', 'isascii'].map((label) => ({ label, kind: 'function' })),
      from: 10,
      truncated: false,
    });
    assert.deepEqual(labels(await complete(cell, '|')).includes('len'), true);
  });

  it('answers again at once when its process was killed', async () => {
    const maker = await notebook.add('import os\nparent = os.getppid()');
    const reader = await notebook.add('parent');
    const { display } = await notebook.run(reader);
    assert.deepEqual(labels(await complete(reader, 'parent.bit_c|')), ['bit_count']);
    // All processes of the notebook end with the one that they come from.
    process.kill(Number(display?.preview), 'SIGKILL');
    assert.deepEqual(labels(await complete(reader, 'parent.bit_c|')), ['bit_count']);
    assert.equal((await notebook.run(maker, 'rerun')).status, 'ready');
  });

  it('has nothing to say in other languages, and refuses what is no place in a text', async () => {
    const { id } = Object((await notebook.request('POST', '/cells', { language: 'sql' })).json);
    assert.deepEqual(await completeOnce(id, 'SELECT le|'), { items: [], from: 9, truncated: false });
    const refused = await notebook.request('POST', `/cells/${id}/complete`, { source: 'x', offset: -1 });
    assert.equal(refused.status, 422);
    assert.equal((await notebook.request('POST', '/cells/none/complete', { source: 'x', offset: 1 })).status, 404);
    assert.deepEqual(await completeOnce(id, `${'x'.repeat(10)}|`), { items: [], from: 10, truncated: false });
  });
});

describe('the names of a notebook', () => {
  it('are listed with what they were when their cells last ran', async () => {
    const other = await createTestNotebook(server, 'Names');
    const maker = await other.add('import decimal\nprice = decimal.Decimal(1)\nwords = ["a"]');
    const reader = await other.add('total = price + 1');
    await other.run(maker);
    const unknown = { rows: null, columns: null };
    assert.deepEqual((await other.request('GET', '/variables')).json, {
      variables: [
        { name: 'decimal', cell_id: maker, type: 'module', ...unknown },
        { name: 'price', cell_id: maker, type: 'decimal.Decimal', ...unknown },
        { name: 'words', cell_id: maker, type: 'list', ...unknown },
        { name: 'total', cell_id: reader, type: null, ...unknown },
      ],
    });
  });
});
