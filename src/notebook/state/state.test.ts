// Staleness as people experience it, told in edits and runs; no process, no file.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom, type RandomSource } from '../../../tests/kit/random.ts';
import {
  type Applied,
  apply,
  type CellFacts,
  type CellResult,
  currentKey,
  emptySession,
  type Graph,
  inputValues,
  type SessionState,
  type Wire,
} from './index.ts';

/** A notebook in one line a cell: `b: a` reads a from the cell that defines it; the text stands for the source. */
type Sketch = Readonly<
  Record<
    string,
    {
      reads?: readonly string[];
      source?: string;
      environment?: string;
      neverCached?: boolean;
      asksOutside?: string;
      after?: readonly string[];
    }
  >
>;

function shape(sketch: Sketch): { facts: Map<string, CellFacts>; graph: Graph } {
  const facts = new Map<string, CellFacts>();
  const wires = new Map<string, Wire[]>();
  const downstream = new Map<string, string[]>();
  const order = Object.keys(sketch);
  for (const [id, cell] of Object.entries(sketch)) {
    const { reads = [], source = id, environment = 'env', neverCached = false, asksOutside = null, after = [] } = cell;
    const consumed = order.some((other) => sketch[other]?.reads?.includes(id)) ? [id] : [];
    facts.set(id, {
      id,
      language: 'python',
      name: id,
      sourceDigest: source,
      environmentHash: environment,
      consumed,
      neverCached,
      asksOutside,
    });
    wires.set(id, [
      ...reads.map((variable) => ({ from: variable, variable })),
      ...after.map((from) => ({ from, variable: '' })),
    ]);
    for (const from of [...reads, ...after]) downstream.set(from, [...(downstream.get(from) ?? []), id]);
  }
  return { facts, graph: { order, wires, downstream } };
}

const open = (sketch: Sketch): SessionState => reshape(emptySession, sketch).state;

function reshape(state: SessionState, sketch: Sketch, touched: Iterable<string> = Object.keys(sketch)): Applied {
  return apply(state, { type: 'shaped', ...shape(sketch), touched });
}

/** Runs a cell to a value; the value's text is its content. */
function run(state: SessionState, id: string, value = `${state.facts.get(id)?.sourceDigest}!`): Applied {
  const started = apply(state, { type: 'started', cellId: id }).state;
  return apply(started, { type: 'finished', cellId: id, result: resultOf(started, id, value) });
}

/** Every run of a cell stores one more version. */
function nextUri(state: SessionState, id: string): string {
  const before = /\d+$/.exec(state.cells.get(id)?.result?.variables[id]?.uri ?? '')?.[0] ?? 0;
  return `svc://artifact/${id}@v=${Number(before) + 1}`;
}

function resultOf(state: SessionState, id: string, value: string): CellResult {
  const facts = state.facts.get(id);
  assert.ok(facts);
  const key = currentKey(state, facts) ?? 'without inputs';
  const variables = Object.fromEntries(
    facts.consumed.map((name) => [name, { uri: nextUri(state, name), contentType: 'json/object', sha256: value }]),
  );
  const inputs = Object.fromEntries(inputValues(state, id).values);
  return { key, sourceDigest: facts.sourceDigest, environmentHash: facts.environmentHash, variables, inputs };
}

const runAll = (state: SessionState, values: Readonly<Record<string, string>> = {}): SessionState =>
  state.graph.order.reduce((so_far, id) => run(so_far, id, values[id]).state, state);

const statuses = (state: SessionState): string =>
  [...state.cells].map(([id, { status }]) => `${id} ${status}`).join(', ');

const chain: Sketch = { a: {}, b: { reads: ['a'] }, c: { reads: ['b'] } };
const edited = (sketch: Sketch, id: string, change: Sketch[string]): Sketch => ({
  ...sketch,
  [id]: { ...sketch[id], ...change },
});

describe('a session', () => {
  it('opens with nothing run', () => assert.equal(statuses(open(chain)), 'a idle, b idle, c idle'));

  it('is ready when everything ran', () => assert.equal(statuses(runAll(open(chain))), 'a ready, b ready, c ready'));

  it('tells a cell whose values nobody kept, and that somebody reads now, from one that was edited', () => {
    const { state } = reshape(runAll(open({ a: {}, b: {} })), { a: {}, b: { reads: ['a'] } });
    assert.deepEqual(state.cells.get('a')?.causality, {
      reason: 'self',
      details: [{ type: 'source_changed', cell_id: 'a', cell_name: 'a', unkept: true }],
    });
  });

  it('makes an edited cell idle and what ran below it stale, with the causes', () => {
    const { state, changed } = reshape(runAll(open(chain)), edited(chain, 'a', { source: 'a2' }), ['a']);
    assert.equal(statuses(state), 'a idle, b stale, c stale');
    assert.deepEqual(changed, ['a', 'b', 'c']);
    assert.deepEqual(
      [...state.cells.values()].map(({ reasons, causality }) => ({ reasons, causality })),
      [
        {
          reasons: [],
          causality: { reason: 'self', details: [{ type: 'source_changed', cell_id: 'a', cell_name: 'a' }] },
        },
        {
          reasons: ['upstream'],
          causality: { reason: 'upstream', details: [{ type: 'input_changed', cell_id: 'a', cell_name: 'a' }] },
        },
        {
          reasons: ['upstream'],
          causality: { reason: 'upstream', details: [{ type: 'input_changed', cell_id: 'b', cell_name: 'b' }] },
        },
      ],
    );
  });

  it('leaves cells below that never ran idle', () => {
    const state = reshape(run(open(chain), 'a').state, edited(chain, 'a', { source: 'a2' }), ['a']).state;
    assert.equal(statuses(state), 'a idle, b idle, c idle');
  });

  it('is ready again at once when an edit is undone', () => {
    const away = reshape(runAll(open(chain)), edited(chain, 'a', { source: 'a2' }), ['a']).state;
    assert.equal(statuses(reshape(away, chain, ['a']).state), 'a ready, b ready, c ready');
  });

  it('finds an older result when an edit is undone after the new text ran', () => {
    const other = edited(chain, 'a', { source: 'a2' });
    const ran = runAll(reshape(runAll(open(chain)), other, ['a']).state);
    assert.equal(statuses(reshape(ran, chain, ['a']).state), 'a ready, b ready, c ready');
  });

  it('cuts off early: another text with the same value leaves everything below valid', () => {
    const away = reshape(runAll(open(chain), { a: 'same' }), edited(chain, 'a', { source: 'a2' }), ['a']).state;
    const { state, changed } = run(away, 'a', 'same');
    assert.equal(statuses(state), 'a ready, b ready, c ready');
    assert.deepEqual(changed, ['a', 'b', 'c']);
  });

  it('makes readers stale when the value changed, and says whose it was', () => {
    const away = reshape(runAll(open(chain)), edited(chain, 'a', { source: 'a2' }), ['a']).state;
    const { state } = run(away, 'a', 'other');
    assert.equal(statuses(state), 'a ready, b stale, c stale');
    const detail = { type: 'input_changed', cell_id: 'a', cell_name: 'a', from_version: 1, to_version: 2 };
    assert.deepEqual(state.cells.get('b')?.causality, { reason: 'upstream', details: [detail] });
  });

  it('marks a change of the environment as such', () => {
    const state = reshape(runAll(open({ a: {} })), { a: { environment: 'env2' } }).state;
    assert.deepEqual(
      [state.cells.get('a')?.status, state.cells.get('a')?.causality],
      ['idle', { reason: 'env', details: [{ type: 'env_changed', package: 'notebook env' }] }],
    );
  });

  it('shows a failure until the source changes, and makes what ran below stale', () => {
    const ran = runAll(open(chain));
    const failed = apply(apply(ran, { type: 'started', cellId: 'a' }).state, {
      type: 'failed',
      cellId: 'a',
      failure: { text: 'boom', sourceDigest: 'a', stdout: '', stderr: '' },
    }).state;
    assert.equal(statuses(failed), 'a error, b stale, c stale');
    assert.equal(
      statuses(reshape(failed, edited(chain, 'a', { source: 'a2' }), ['a']).state),
      'a idle, b stale, c stale',
    );
    assert.equal(statuses(run(failed, 'a').state), 'a ready, b ready, c ready');
  });

  it('goes back to what it was when a run is cancelled', () => {
    const running = apply(runAll(open(chain)), { type: 'started', cellId: 'a' }).state;
    assert.equal(statuses(running), 'a running, b ready, c ready');
    assert.equal(statuses(apply(running, { type: 'stopped', cellId: 'a' }).state), 'a ready, b ready, c ready');
    const fresh = apply(open(chain), { type: 'started', cellId: 'a' }).state;
    assert.equal(statuses(apply(fresh, { type: 'stopped', cellId: 'a' }).state), 'a idle, b idle, c idle');
  });

  it('lets an edit during a run win over its result', () => {
    const started = apply(runAll(open(chain)), { type: 'started', cellId: 'b' }).state;
    const result = resultOf(started, 'b', 'b!');
    const away = reshape(started, edited(chain, 'a', { source: 'a2' }), ['a']).state;
    assert.equal(statuses(apply(away, { type: 'finished', cellId: 'b', result }).state), 'a idle, b stale, c stale');
  });

  it('runs a cell again when somebody begins to read a name that was not kept', () => {
    const before = runAll(open({ a: {}, b: {} }));
    assert.equal(statuses(reshape(before, { a: {}, b: { reads: ['a'] } }).state), 'a idle, b stale');
  });

  it('keeps a cell that is never cached ready after its run, and no longer', () => {
    const sketch: Sketch = { a: { neverCached: true }, b: { reads: ['a'] } };
    const ran = runAll(open(sketch));
    assert.equal(statuses(ran), 'a ready, b ready');
    assert.equal(statuses(reshape(ran, edited(sketch, 'a', { source: 'a2' }), ['a']).state), 'a idle, b stale');
    assert.equal(
      statuses(reshape(reshape(ran, edited(sketch, 'a', { source: 'a2' }), ['a']).state, sketch, ['a']).state),
      'a ready, b ready',
    );
  });

  it('trusts what a cell read from outside only after a look, and finds its result again with the same find', () => {
    const sketch: Sketch = { a: { asksOutside: 'the news' }, b: { reads: ['a'] } };
    const look = (state: SessionState, digest: string): SessionState =>
      apply(state, { type: 'looked', cellId: 'a', asked: 'the news', digest }).state;
    const ran = runAll(look(open(sketch), 'monday'));
    assert.equal(statuses(ran), 'a ready, b ready');
    assert.equal(statuses(look(ran, 'tuesday')), 'a stale, b stale');
    assert.equal(statuses(look(look(ran, 'tuesday'), 'monday')), 'a ready, b ready');
    const other = edited(sketch, 'a', { asksOutside: 'the weather' });
    assert.equal(statuses(reshape(ran, other, ['a']).state), 'a stale, b stale');
    const results = new Map([...ran.results].map(([id, kept]) => [id, [...kept.values()]]));
    const reopened = apply(open(sketch), { type: 'restored', results, errors: new Map() }).state;
    assert.equal(statuses(reopened), 'a stale, b stale');
    assert.equal(statuses(look(reopened, 'monday')), 'a ready, b ready');
  });

  it('orders by @after without reading a value', () => {
    const sketch: Sketch = { a: {}, b: { after: ['a'] } };
    assert.equal(
      statuses(reshape(runAll(open(sketch)), edited(sketch, 'a', { source: 'a2' }), ['a']).state),
      'a idle, b stale',
    );
  });

  it('restores what earlier sessions left: results by key, failures by source', () => {
    const ran = runAll(open(chain));
    const results = new Map([...ran.results].map(([id, kept]) => [id, [...kept.values()]]));
    const errors = new Map([['c', { text: 'boom', sourceDigest: 'c', stdout: '', stderr: '' }]]);
    const opened = apply(open(chain), { type: 'restored', results, errors }).state;
    assert.equal(statuses(opened), 'a ready, b ready, c error');
    assert.equal(
      statuses(
        apply(open(edited(chain, 'b', { source: 'b2' })), { type: 'restored', results, errors: new Map() }).state,
      ),
      'a ready, b idle, c stale',
    );
  });
});

describe('a random session', () => {
  it('looks after each step as if everything had been decided anew', (t) => {
    const random = createRandom((line) => t.diagnostic(line));
    let sketch = randomSketch(random, 12);
    let state = open(sketch);
    for (let step = 0; step < 400; step++) {
      const ids = Object.keys(sketch);
      const id = ids[random.below(ids.length)] ?? '';
      const action = random.below(5);
      if (action <= 1) {
        sketch = edited(sketch, id, { source: `${id}${random.below(3)}` });
        state = reshape(state, sketch, [id]).state;
      } else if (action === 2) {
        sketch = edited(sketch, id, { reads: ids.slice(0, ids.indexOf(id)).filter(() => random.below(4) === 0) });
        state = reshape(state, sketch).state;
      } else if (action === 3) {
        state = apply(state, {
          type: 'failed',
          cellId: id,
          failure: { text: 'boom', sourceDigest: state.facts.get(id)?.sourceDigest ?? '', stdout: '', stderr: '' },
        }).state;
      } else state = run(state, id, `value ${random.below(3)}`).state;
      const anew = reshape(state, sketch).state;
      assert.deepEqual([...state.cells], [...anew.cells], `step ${step}`);
    }
  });
});

function randomSketch(random: RandomSource, size: number): Sketch {
  const ids = Array.from({ length: size }, (_, index) => `c${index}`);
  return Object.fromEntries(
    ids.map((id, index) => [id, { reads: ids.slice(0, index).filter(() => random.below(4) === 0) }]),
  );
}

describe('files that a result has read', () => {
  const cells = { load: {}, sum: { reads: ['load'] } };
  const readBy = (state: SessionState, print: string): SessionState => {
    const facts = state.facts.get('load');
    assert.ok(facts);
    const base = currentKey(state, facts) ?? '';
    const result = { ...resultOf(state, 'load', `of ${print}`), key: `${base}+${print}`, baseKey: base };
    const seen = apply(state, { type: 'filesSeen', files: new Map([['prices.csv', print]]) }).state;
    return apply(seen, { type: 'finished', cellId: 'load', result: { ...result, files: { 'prices.csv': { print } } } })
      .state;
  };
  const seen = (state: SessionState, print: string): Applied =>
    apply(state, { type: 'filesSeen', files: new Map([['prices.csv', print]]) });
  const looks = (state: SessionState): string[] => [...state.cells.values()].map(({ status }) => status);

  it('make it stale when they change, with their name, and current again when they are as before', () => {
    const first = run(readBy(open(cells), 'one'), 'sum').state;
    assert.deepEqual(looks(first), ['ready', 'ready']);
    const changed = seen(first, 'two');
    assert.deepEqual(
      [changed.changed, looks(changed.state)],
      [
        ['load', 'sum'],
        ['stale', 'stale'],
      ],
    );
    assert.deepEqual(changed.state.cells.get('load')?.causality, {
      reason: 'upstream',
      details: [{ type: 'file_changed', file: 'prices.csv' }],
    });
    const second = run(readBy(changed.state, 'two'), 'sum').state;
    assert.deepEqual(looks(second), ['ready', 'ready']);
    const back = seen(second, 'one').state;
    assert.deepEqual(
      [looks(back), back.cells.get('load')?.result?.variables],
      [['ready', 'ready'], first.cells.get('load')?.result?.variables],
    );
  });

  it('may be written to by cells below, which began from it; what anybody else writes counts', () => {
    const first = readBy(open(cells), 'one');
    const result = { ...resultOf(first, 'sum', 'six'), wrote: { 'prices.csv': { print: 'two' } } };
    const during = seen(first, 'two').state;
    const after = apply(during, { type: 'finished', cellId: 'sum', result });
    assert.deepEqual(
      [looks(during), looks(after.state)],
      [
        ['stale', 'idle'],
        ['ready', 'ready'],
      ],
    );
    assert.deepEqual(looks(seen(after.state, 'three').state), ['stale', 'stale']);
  });

  it('that nobody has looked at are not believed', () => {
    const state = readBy(open(cells), 'one');
    const results = new Map([['load', [...(state.results.get('load')?.values() ?? [])]]]);
    const reopened = apply(open(cells), { type: 'restored', results, errors: new Map() }).state;
    assert.deepEqual(looks(reopened), ['stale', 'idle']);
    assert.deepEqual(looks(seen(reopened, 'one').state), ['ready', 'idle']);
  });
});

it('a result that is kept no longer is not found by the source that made it', () => {
  const first = run(open({ a: { source: 'one' } }), 'a').state;
  const key = first.cells.get('a')?.result?.key ?? '';
  const second = run(reshape(first, { a: { source: 'two' } }).state, 'a').state;
  const forgot = apply(second, { type: 'forgotten', results: [{ cellId: 'a', key }] }).state;
  const back = reshape(forgot, { a: { source: 'one' } }).state;
  assert.equal(reshape(second, { a: { source: 'one' } }).state.cells.get('a')?.status, 'ready');
  assert.equal(back.cells.get('a')?.status, 'idle');
});

describe('settings that a result has used', () => {
  const cells = { early: {}, setup: {}, late: {} };
  const ran = (state: SessionState, id: string, made: string | null, used: string | null | undefined): SessionState => {
    const facts = state.facts.get(id);
    assert.ok(facts);
    const base = currentKey(state, facts) ?? '';
    const result = {
      ...resultOf(state, id, id),
      key: `${base}+${made}+${used}`,
      baseKey: base,
      ...(made === null ? {} : { settingsMade: { pandas: { digest: made, value: '' } } }),
      ...(used === undefined ? {} : { settingsUsed: { pandas: used } }),
    };
    return apply(state, { type: 'finished', cellId: id, result }).state;
  };
  const looks = (state: SessionState): string[] => [...state.cells.values()].map(({ status }) => status);

  it('make cells below stale when they change, and those above never', () => {
    const first = ran(ran(ran(open(cells), 'early', null, null), 'setup', 'one', undefined), 'late', null, 'one');
    assert.deepEqual(looks(first), ['ready', 'ready', 'ready']);
    const second = ran(first, 'setup', 'two', undefined);
    assert.deepEqual(looks(second), ['ready', 'ready', 'stale']);
    assert.deepEqual(second.cells.get('late')?.causality, {
      reason: 'upstream',
      details: [{ type: 'setting_changed', setting: 'pandas' }],
    });
    assert.deepEqual(looks(ran(second, 'setup', 'one', undefined)), ['ready', 'ready', 'ready']);
  });

  it('that nobody makes any more, or that come to stand below, are none', () => {
    const state = ran(ran(open(cells), 'setup', 'one', undefined), 'late', null, 'one');
    const sketch = { early: {}, late: {}, setup: {} };
    assert.deepEqual(looks(apply(state, { type: 'shaped', ...shape(sketch), touched: [] }).state), [
      'idle',
      'stale',
      'ready',
    ]);
    assert.deepEqual(looks(apply(state, { type: 'shaped', ...shape({ early: {}, late: {} }), touched: [] }).state), [
      'idle',
      'stale',
    ]);
  });

  it('of a cell that failed or was edited are not believed', () => {
    const state = ran(ran(open(cells), 'setup', 'one', undefined), 'late', null, 'one');
    const failure = { text: 'no', sourceDigest: state.facts.get('setup')?.sourceDigest ?? '', stdout: '', stderr: '' };
    const failed = apply(state, { type: 'failed', cellId: 'setup', failure }).state;
    assert.deepEqual(looks(failed), ['idle', 'error', 'stale']);
  });
});
