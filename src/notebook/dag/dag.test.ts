import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomNumbers, seed } from '../testing.ts';
import {
  buildDag,
  consumedVariables,
  type Dag,
  type DagCell,
  dagBody,
  downstreamIds,
  isActiveVariant,
  selectionsWithout,
  shadowWarnings,
  transitiveDownstream,
  updateDag,
  upstreamIds,
  type VariantSelection,
  variantGroupBody,
} from './index.ts';
import { oracleGraph } from './oracle.ts';
import { cell, member } from './testing.ts';

const arrows = ({ edges }: Dag): string[] => edges.map(({ from, to, variable }) => `${from}-${variable}->${to}`);

describe('wiring', () => {
  it('reads from the nearest definition above', () => {
    const dag = buildDag([cell('a', 'x'), cell('b', 'x <- x'), cell('c', 'y <- x late'), cell('d', 'late'), cell('m')]);
    assert.deepEqual(dagBody(dag), {
      edges: [
        { from_cell_id: 'a', to_cell_id: 'b', variable: 'x' },
        { from_cell_id: 'b', to_cell_id: 'c', variable: 'x' },
      ],
      topological_order: ['a', 'd', 'm', 'b', 'c'],
      leaves: ['c', 'd', 'm'],
      roots: ['a', 'd', 'm'],
      variable_producer: { x: 'b', y: 'c', late: 'd' },
    });
    assert.deepEqual(shadowWarnings(dag, 'b'), ["Variable 'x' shadows definition from cell a"]);
    assert.deepEqual(transitiveDownstream(dag, 'a'), ['b', 'c']);
    assert.deepEqual(consumedVariables(dag, 'a'), new Map([['x', ['b']]]));
  });

  it('counts a change in place as a definition that hides nothing', () => {
    const dag = buildDag([cell('a', 'df'), cell('b', 'df <- df', { mutationDefines: ['df'] }), cell('c', '<- df')]);
    assert.deepEqual([arrows(dag), shadowWarnings(dag, 'b')], [['a-df->b', 'b-df->c'], []]);
  });

  it('reads a builtin name that a cell above defines', () => {
    const dag = buildDag([cell('a', 'input'), cell('b', '', { builtinReferences: ['print', 'input'] })]);
    assert.deepEqual(arrows(dag), ['a-input->b']);
  });

  it('orders by @after, even to a later cell, and ignores unknown ids and itself', () => {
    const dag = buildDag([cell('a', 'x', { after: ['b', 'zz', 'a', 'b'] }), cell('b', 'y')]);
    assert.deepEqual([arrows(dag), dag.topologicalOrder], [['b-->a'], ['b', 'a']]);
  });

  it('starts a loop from the cell it names, unless the carry is wired already', () => {
    const startFrom = { cellId: 'l', variable: 's' };
    assert.deepEqual(arrows(buildDag([cell('m', 's', { startFrom }), cell('l', 's')])), ['l-s->m']);
    assert.deepEqual(arrows(buildDag([cell('a', 's'), cell('m', 's <- s', { startFrom }), cell('l', 's')])), [
      'a-s->m',
    ]);
    assert.deepEqual(arrows(buildDag([cell('m', 's', { startFrom }), cell('l', 'other')])), []);
  });

  it('names a cycle and keeps editing possible', () => {
    const a = cell('a', 'x', { after: ['c'] });
    const cyclic = buildDag([a, cell('b', 'y <- x'), cell('c', '<- y'), cell('d')]);
    assert.deepEqual(dagBody(cyclic), {
      edges: [],
      topological_order: [],
      leaves: [],
      roots: [],
      variable_producer: {},
      error: 'Cycle detected in DAG: b → c → a → b',
    });
    assert.deepEqual([upstreamIds(cyclic, 'b'), downstreamIds(cyclic, 'a')], [[], []]);
    const mended = updateDag(cyclic, { kind: 'cell', cell: cell('a', 'x') }).dag;
    assert.deepEqual([mended.error, arrows(mended)], [null, ['a-x->b', 'b-y->c']]);
  });
});

describe('variants', () => {
  const cells = [
    cell('d', 'data'),
    member('r', 'model', 'rf', 'm <- data'),
    member('l', 'model', 'lin', 'm extra <- data'),
    cell('u', 'score <- m'),
  ];

  it('switch: the named member, else the first, takes part', () => {
    const dag = buildDag(cells, [{ group: 'model', active: 'lin', mode: 'odd' }]);
    assert.deepEqual(arrows(dag), ['d-data->l', 'l-m->u']);
    assert.deepEqual(dag.topologicalOrder, ['d', 'l', 'u']);
    assert.deepEqual(
      ['r', 'l', 'd'].map((id) => isActiveVariant(dag, id)),
      [false, true, true],
    );
    assert.deepEqual(dag.variantGroups.map(variantGroupBody), [
      {
        group: 'model',
        active_name: 'lin',
        active_cell_id: 'l',
        mode: 'switch',
        members: [
          { cell_id: 'r', name: 'rf', is_active: false },
          { cell_id: 'l', name: 'lin', is_active: true },
        ],
      },
    ]);
    assert.deepEqual(arrows(buildDag(cells, [{ group: 'model', active: 'none', mode: 'switch' }])), [
      'd-data->r',
      'r-m->u',
    ]);
  });

  it('sweep: all members take part and are read together', () => {
    const dag = buildDag(cells, [{ group: 'model', active: 'lin', mode: 'sweep' }]);
    assert.deepEqual(arrows(dag), ['d-data->r', 'd-data->l', 'r-m->u', 'l-m->u']);
    assert.deepEqual(Object.fromEntries(dag.variableProducer), {
      data: 'd',
      m: 'sweep:model',
      extra: 'sweep:model',
      score: 'u',
    });
    assert.deepEqual(shadowWarnings(dag, 'l'), []);
    assert.equal(dag.variantGroups[0]?.activeName, 'rf');
  });

  it('once per variant: readers get one edge for each', () => {
    const dag = buildDag(
      [
        ...cells.slice(0, 3),
        cell('f', 'score <- m', { perVariant: { group: null } }),
        cell('z', 'z <- score', { perVariant: { group: 'model' } }),
        cell('e', '<- z'),
      ],
      [{ group: 'model', active: '', mode: 'sweep' }],
    );
    assert.deepEqual(arrows(dag).slice(2), ['r-m->f', 'l-m->f', 'f-score->z', 'f-score->z', 'z-z->e', 'z-z->e']);
    assert.deepEqual(
      [dag.variableProducer.get('score'), dag.variableProducer.get('z')],
      ['fanout:model', 'fanout:model'],
    );
    assert.deepEqual(upstreamIds(dag, 'e'), ['z']);
  });

  it('two members of one name are an error', () => {
    const dag = buildDag([member('a', 'g', 'n', 'x'), member('b', 'g', 'n', 'x')]);
    assert.equal(dag.error, "Cells a and b are both variant 'n' of group 'g'");
    const renamed = updateDag(dag, { kind: 'cell', cell: member('b', 'g', 'o', 'x') }).dag;
    assert.deepEqual([renamed.error, renamed.topologicalOrder], [null, ['a']]);
  });

  it('a deletion moves or drops the selection', () => {
    const selections = [{ group: 'model', active: 'rf', mode: 'switch' }];
    const { variantGroups } = buildDag(cells, selections);
    assert.deepEqual(selectionsWithout(variantGroups, selections, 'r'), [
      { group: 'model', active: 'lin', mode: 'switch' },
    ]);
    assert.equal(selectionsWithout(variantGroups, selections, 'd'), selections);
    const last = buildDag([member('r', 'model', 'rf', 'm')], selections).variantGroups;
    assert.deepEqual(selectionsWithout(last, selections, 'r'), []);
  });
});

describe('updates', () => {
  it('rewire only what the edit reaches', () => {
    const chain = Array.from({ length: 50 }, (_, at) => cell(`c${at}`, `x x${at} <- x`));
    const dag = buildDag(chain);
    const same = updateDag(dag, { kind: 'cell', cell: cell('c10', 'x x10 <- x nowhere') });
    assert.deepEqual([same.rewired, same.dag.edges === dag.edges], [[], true]);
    const cut = updateDag(dag, { kind: 'cell', cell: cell('c10', 'x10 <- x') });
    assert.deepEqual(cut.rewired, ['c10', 'c11']);
    assert.equal(cut.dag.state.wirings.get('c12'), dag.state.wirings.get('c12'));
  });

  it('equal a build from scratch, and both equal the rules, over random edits', (context) => {
    context.diagnostic(`SVC_TEST_SEED=${seed}`);
    for (let round = 0; round < 60; round += 1) randomEdits(seed + round);
  });
});

function randomEdits(start: number): void {
  const random = randomNumbers(start);
  const below = (limit: number): number => Math.floor(random() * limit);
  const some = (pool: readonly string[], most: number): string[] => [
    ...new Set(Array.from({ length: below(most + 1) }, () => pool[below(pool.length)] ?? 'x')),
  ];
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const ids = Array.from({ length: 16 }, (_, at) => `c${at}`);
  const groups = ['g', 'h'];
  const group = (): string => groups[below(2)] ?? 'g';
  const randomCell = (id: string): DagCell => {
    const defines = some(names, 2);
    return {
      id,
      defines,
      references: some(names, 2),
      builtinReferences: below(5) === 0 ? some(['print', 'f'], 1) : [],
      discardedReads: below(5) === 0 ? some(names, 1) : [],
      late: [],
      mutationDefines: defines.filter(() => below(4) === 0),
      after: below(8) === 0 ? some(ids, 2) : [],
      startFrom: below(8) === 0 ? { cellId: ids[below(ids.length)] ?? '', variable: names[below(6)] ?? 'a' } : null,
      variant: below(3) === 0 ? { group: group(), name: below(12) === 0 ? 'same' : `v${id}` } : null,
      perVariant: below(4) === 0 ? { group: below(2) === 0 ? group() : null } : null,
    };
  };
  let cells: readonly DagCell[] = [];
  let selections: readonly VariantSelection[] = [];
  let dag = buildDag([]);
  for (let step = 0; step < 60; step += 1) {
    const choice = below(6);
    const free = ids.filter((id) => !cells.some((one) => one.id === id));
    const at = below(cells.length);
    if (choice === 0 || cells.length < 3) {
      const [id = 'c0'] = free;
      cells = free.length === 0 ? cells : cells.toSpliced(below(cells.length + 1), 0, randomCell(id));
      dag = updateDag(dag, { kind: 'cells', cells }).dag;
    } else if (choice === 1) {
      cells = cells.toSpliced(at, 1 + below(2));
      dag = updateDag(dag, { kind: 'cells', cells }).dag;
    } else if (choice === 2) {
      const [moved] = cells.slice(at, at + 1);
      cells = moved === undefined ? cells : cells.toSpliced(at, 1).toSpliced(below(cells.length), 0, moved);
      dag = updateDag(dag, { kind: 'cells', cells }).dag;
    } else if (choice === 3) {
      selections = groups.map((one) => ({
        group: one,
        active: `vc${below(16)}`,
        mode: below(2) === 0 ? 'sweep' : 'switch',
      }));
      dag = updateDag(dag, { kind: 'selections', selections }).dag;
    } else {
      const edited = randomCell(cells[at]?.id ?? 'c0');
      cells = cells.with(at, edited);
      dag = updateDag(dag, { kind: 'cell', cell: edited }).dag;
    }
    const message = `SVC_TEST_SEED=${seed}, start ${start}, step ${step}: ${JSON.stringify({ cells, selections })}`;
    assert.deepEqual(dag, buildDag(cells, selections), message);
    if (dag.error?.startsWith('Cells') === true) continue;
    const oracle = oracleGraph(cells, selections);
    const byId = <Value>(value: (id: string) => Value) => Object.fromEntries(cells.map(({ id }) => [id, value(id)]));
    assert.deepEqual(
      {
        edges: cells.flatMap(({ id }) => dag.state.wirings.get(id)?.edges ?? []),
        producers: Object.fromEntries(dag.state.producers),
        upstream: byId((id) => dag.state.wirings.get(id)?.upstream ?? []),
        downstream: byId((id) => dag.state.downstream.get(id) ?? []),
      },
      oracle,
      message,
    );
    if (dag.error === null) checkOrder(dag, message);
  }
}

function checkOrder(dag: Dag, message: string): void {
  const place = new Map(dag.topologicalOrder.map((id, at) => [id, at]));
  for (const { from, to } of dag.edges) assert.ok((place.get(from) ?? 0) < (place.get(to) ?? -1), message);
}
