// What a cell can lend as source: the facts per cell, and the slice that others re-execute.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAnalysis, type ModuleFacts } from './analysis.ts';
import { analysisCommand, observedEngine } from './testing.ts';

const engine = observedEngine({ name: 'analysis', ...analysisCommand });
const analysis = createAnalysis(engine);
after(() => engine.close());

const noFacts: ModuleFacts = { exports: [], loadNeeds: [], lambdas: [], starImport: false, complete: true };

function exported(name: string, kind: ModuleFacts['exports'][number]['kind'], needs: string[] = [], changed = false) {
  return { name, kind, needs, fills: [], changed };
}

const rows: [string, string, ModuleFacts | null][] = [
  ['constants alone are ordinary values', 'A = 1\nB = -2, [3, {"k": {4}}]', null],
  [
    'declarations make the whole cell a module',
    '"""Doc."""\nimport math\nLIMIT: int = 3\nA, B = 1, 2\ndef f(x): return math.sqrt(x) + LIMIT\n' +
      'async def g(): return f(A)\nclass Q: pass\ndef _private(): pass',
    {
      ...noFacts,
      exports: [
        exported('A', 'constant'),
        exported('B', 'constant'),
        exported('LIMIT', 'constant'),
        exported('Q', 'class'),
        exported('f', 'function'),
        exported('g', 'async function'),
      ],
    },
  ],
  [
    'a need reaches through the functions of the slice',
    'def f(): return g()\ndef g(): return _h(scale)\ndef _h(x): return x + _secret\ndf = load()\ndef k(): return df',
    {
      ...noFacts,
      complete: false,
      exports: [
        exported('f', 'function', ['_secret', 'scale']),
        exported('g', 'function', ['_secret', 'scale']),
        exported('k', 'function', ['df']),
      ],
    },
  ],
  [
    'what a function changes in place is its caller’s, a literal of the cell too',
    'import os\nseen = []\nSIZE = 3\ncount = 0\ndef note(x):\n seen.append(x)\n os.environ["a"] = "b"\n mine = []\n mine.append(SIZE)\n' +
      'def twice(x):\n global count\n note(x)\n other[x] = 1\n count += 1',
    {
      ...noFacts,
      exports: [
        exported('SIZE', 'constant'),
        { ...exported('note', 'function', ['seen']), fills: ['seen'] },
        { ...exported('twice', 'function', ['other', 'seen']), fills: ['count', 'other', 'seen'] },
      ],
    },
  ],
  [
    'decorators, defaults, bases, annotations and class bodies are needed to load the slice at all',
    '@dec\ndef f(a: T = d) -> R: return late\nclass C(Base):\n x = y\n def m(self): return later',
    {
      ...noFacts,
      loadNeeds: ['Base', 'R', 'T', 'd', 'dec', 'y'],
      exports: [
        exported('C', 'class', ['Base', 'later', 'y']),
        exported('f', 'function', ['R', 'T', 'd', 'dec', 'late']),
      ],
    },
  ],
  [
    'postponed annotations need nothing',
    'from __future__ import annotations\ndef f(a: T) -> R: return a',
    { ...noFacts, exports: [exported('f', 'function')] },
  ],
  [
    'a lambda is no export, and blocks nobody else',
    'square = lambda x: x * x\nK = 1\ndef f(x): return x\ndef g(x): return square(x)',
    {
      ...noFacts,
      complete: false,
      lambdas: ['square'],
      exports: [exported('K', 'constant'), exported('f', 'function'), exported('g', 'function', ['square'])],
    },
  ],
  [
    'a name that a dropped statement rebinds is not what the slice says; one into which it puts something is',
    'def f(): pass\nf = wrap(f)\nN = 1\nN += 1\nclass C: pass\nC.registry = {}\ndef g(): pass',
    {
      ...noFacts,
      complete: false,
      exports: [
        exported('C', 'class'),
        exported('N', 'constant', [], true),
        exported('f', 'function', [], true),
        exported('g', 'function'),
      ],
    },
  ],
  [
    'a literal that is filled later is a value of the cell, to be injected',
    "TABLE = {}\nTABLE['a'] = load()\ndef f(): return TABLE",
    { ...noFacts, complete: false, exports: [exported('f', 'function', ['TABLE'])] },
  ],
  [
    'so is one that can change and that a statement gets hold of; one that cannot change stays in the slice',
    'scores = []\nlog = {"a": []}\nSIZES = [1]\nN = 3\ndef f(x): return x * SIZES[0]\nscores.append(f(N))\nkeep(log)',
    {
      ...noFacts,
      complete: false,
      exports: [exported('N', 'constant'), exported('SIZES', 'constant'), exported('f', 'function')],
    },
  ],
  [
    'below a star import only what the slice binds after it is certain',
    'A = 1\nfrom m import *\nB = 2\ndef f(): return B\ndef g(x): return len(x)',
    {
      ...noFacts,
      complete: false,
      starImport: true,
      exports: [
        exported('A', 'constant', [], true),
        exported('B', 'constant'),
        exported('f', 'function'),
        exported('g', 'function', ['len']),
      ],
    },
  ],
];

for (const [what, source, facts] of rows) {
  test(what, async () => {
    assert.deepEqual((await analysis.analyse(source)).module, facts);
  });
}

test('a slice that leaves nothing out is the source, byte for byte', async () => {
  const source = '# why\nimport   math\n\n\ndef f( x ):  return x # odd\n';
  assert.equal(await analysis.moduleSource(source), source);
});

test('a slice that leaves something out is printed anew', async () => {
  const source = '"""Doc."""\nimport os; run()\nK = {"a": [1]}\nprint(1)\n@dec\ndef f(): return K\nx = f()\n';
  assert.equal(
    await analysis.moduleSource(source),
    '"""Doc."""\nimport os\nK = {\'a\': [1]}\n\n@dec\ndef f():\n    return K',
  );
});

test('results from before literals that a cell fills were handed on as it left them are found no more', async () => {
  const before = 'a759fc7cf52d0db15c2f67a2906d3237b1457e29b304a96caffde3721048730a';
  const filled = await analysis.analyse('scores = []\ndef f(x): return x\nscores.append(f(1))');
  const spaced = await analysis.analyse('scores = [ ]\n\ndef f(x):\n    return x\n\nscores.append(f(1))  # one');
  assert.notEqual(filled.sourceDigest, before);
  assert.equal(filled.sourceDigest, spaced.sourceDigest);
});

test('a source that does not parse has no slice', async () => {
  await assert.rejects(analysis.moduleSource('x = ['), { code: 'engine_refused', type: 'SyntaxError' });
});
