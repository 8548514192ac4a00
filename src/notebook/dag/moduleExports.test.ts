import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ModuleFacts } from '../../engine/index.ts';
import { buildDag, injectableNames, moduleCell, planExports } from './index.ts';
import { cell, member } from './testing.ts';

const facts = (more: Partial<ModuleFacts> = {}): ModuleFacts => ({
  exports: [
    { name: 'K', kind: 'constant', needs: [], fills: [], changed: false },
    { name: 'f', kind: 'function', needs: ['data'], fills: [], changed: false },
    { name: 'g', kind: 'class', needs: [], fills: [], changed: false },
  ],
  loadNeeds: [],
  lambdas: [],
  starImport: false,
  complete: true,
  ...more,
});

describe('planExports', () => {
  const data = new Set(['data']);

  it('sends code and the constants read with it, and what they need', () => {
    assert.deepEqual(planExports(facts(), ['f', 'K', 'other'], data), {
      exports: [
        { name: 'K', kind: 'constant' },
        { name: 'f', kind: 'function' },
      ],
      injected: ['data'],
      late: [],
      blocked: [],
      reasons: [],
    });
  });

  it('leaves constants alone plain values', () => {
    const nothing = { exports: [], injected: [], late: [], blocked: [], reasons: [] };
    assert.deepEqual(planExports(facts({ lambdas: ['h'] }), ['K'], data), nothing);
    assert.deepEqual(planExports(facts(), [], data), nothing);
    assert.deepEqual(planExports(null, ['f'], data), nothing);
  });

  it('leaves to its readers what only cells below make, where loading does not need it', () => {
    const given = facts({
      exports: [{ name: 'f', kind: 'function', needs: ['data', 'below'], fills: [], changed: false }],
    });
    const { exports, injected, late, blocked } = planExports(given, ['f'], data, ['below']);
    assert.deepEqual(
      { exports, injected, late, blocked },
      {
        exports: [{ name: 'f', kind: 'function' }],
        injected: ['data'],
        late: ['below'],
        blocked: [],
      },
    );
    assert.deepEqual(planExports(facts({ loadNeeds: ['below'] }), ['g'], data, ['below']).blocked, ['g']);
  });

  const blocking: [title: string, facts: ModuleFacts, consumed: string[], blocked: string[], reasons: string[]][] = [
    [
      'a lambda',
      facts({ lambdas: ['h'] }),
      ['h'],
      ['h'],
      ["'h' is a lambda, which has no source of its own: write it as a def"],
    ],
    ['a lambda that nobody reads: not at all', facts({ lambdas: ['h'] }), ['g'], [], []],
    [
      'a star import',
      facts({ starImport: true }),
      ['g'],
      ['g'],
      ["'from … import *' hides where names come from: import them by name"],
    ],
    [
      'what loading needs',
      facts({ loadNeeds: ['deco'] }),
      ['g', 'K'],
      ['K', 'g'],
      ["the declarations need 'deco', which no single cell above makes"],
    ],
    [
      'a name that was changed',
      facts({ exports: [{ name: 'f', kind: 'function', needs: [], fills: [], changed: true }] }),
      ['f'],
      ['f'],
      ["'f' is changed by a statement that is not a declaration"],
    ],
    [
      'a need that nobody makes',
      facts({ exports: [{ name: 'f', kind: 'function', needs: ['a', 'b'], fills: [], changed: false }] }),
      ['f'],
      ['f'],
      ["'f' needs 'a', 'b', which no single cell above makes"],
    ],
  ];
  for (const [title, given, consumed, blocked, reasons] of blocking) {
    it(`is blocked by ${title}`, () => {
      const plan = planExports(given, consumed, data);
      assert.deepEqual([plan.blocked, plan.reasons], [blocked, reasons]);
    });
  }
});

it('a module cell is declarations and nothing else', () => {
  const data = new Set(['data']);
  assert.deepEqual(moduleCell(facts(), data), {
    isModuleCell: true,
    moduleExports: [
      { name: 'K', kind: 'constant' },
      { name: 'f', kind: 'function' },
      { name: 'g', kind: 'class' },
    ],
  });
  const none = { isModuleCell: false, moduleExports: null };
  assert.deepEqual(moduleCell(facts(), new Set()), none);
  assert.deepEqual(moduleCell(facts({ complete: false }), data), none);
  assert.deepEqual(
    moduleCell(facts({ exports: [{ name: 'K', kind: 'constant', needs: [], fills: [], changed: false }] }), data),
    none,
  );
  assert.deepEqual(moduleCell(null, data), none);
});

it('values of one other cell and of the cell itself can be handed in, swept ones cannot', () => {
  const reader = cell('r', 'f own <- x m');
  const dag = buildDag(
    [cell('a', 'x'), member('b', 'g', 'one', 'm'), reader],
    [{ group: 'g', active: '', mode: 'sweep' }],
  );
  assert.deepEqual(injectableNames(dag, reader), new Set(['f', 'own', 'x']));
});
