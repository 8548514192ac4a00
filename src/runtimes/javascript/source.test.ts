import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readJavaScript } from './source.ts';

const namesOf = (source: string) => {
  const { defines, references, builtinReferences, error } = readJavaScript(source);
  return { defines, references, builtinReferences, error };
};

describe('the names of a JavaScript cell', () => {
  const cases: [what: string, source: string, defines: string[], references: string[], builtins?: string[]][] = [
    [
      'declarations of every kind',
      'const a = 1; let b; var c; function d() {} class E {}',
      ['a', 'b', 'c', 'd', 'E'],
      [],
    ],
    ['patterns', 'const { a, b: [c], ...d } = given', ['a', 'c', 'd'], ['given']],
    ['what stays inside of functions', 'const f = (x) => { const y = x + z; return y }', ['f'], ['z']],
    ['what is imported is nobody else’s', "import fs, { read as r } from 'node:fs'\nconst a = r(b)", ['a'], ['b']],
    ['what is exported', 'export const a = 1', ['a'], []],
    ['names that JavaScript has', 'const n = Math.max(...xs)', ['n'], ['xs'], ['Math']],
    ['await outside of functions', 'const a = await ask(q)', ['a'], ['ask', 'q']],
    ['labels, properties and keys are no names', 'const o = { k: 1 }; o.p; l: for (;;) break l', ['o'], []],
    ['annotations', '# @name numbers\n# @timeout 3\n\nconst a = b', ['a'], ['b']],
  ];
  for (const [what, source, defines, references, builtinReferences = []] of cases)
    it(what, () => assert.deepEqual(namesOf(source), { defines, references, builtinReferences, error: null }));

  it('says what cannot be read, and where', () =>
    assert.deepEqual(namesOf('# @name x\nconst a = 1\nconst = 2'), {
      defines: [],
      references: [],
      builtinReferences: [],
      error: { message: 'Unexpected token', line: 3, column: 6, text: 'const = 2' },
    }));
});

describe('the code of a JavaScript cell', () => {
  const codeOf = (source: string): string => readJavaScript(source).code;

  it('is the same whatever stands in comments', () =>
    assert.equal(
      codeOf('# @name other\n// first\nconst a = 1 // one\n/* two\n   lines */\nconst b = `// 2`\n'),
      codeOf('const a = 1\nconst b = `// 2`'),
    ));

  it('is another when a text that looks like a comment is', () =>
    assert.notEqual(codeOf('const b = `\n// 2\n`'), codeOf('const b = `\n// 3\n`')));
});

describe('the module of a JavaScript cell', () => {
  const moduleOf = (source: string): string | null => readJavaScript(source).module;

  it('gives out what it declares and shows its last line, each line in its place', () =>
    assert.equal(
      moduleOf('# @name x\nexport const a = 1\n;[a]\n(a, 2);\n'),
      "\n       const a = 1\n;globalThis[Symbol.for('svc.shown')] = ([a]\n(a, 2));\n\n;export { a };\n",
    ));

  it('shows nothing where the last line is no value', () =>
    assert.equal(moduleOf('const a = 1'), 'const a = 1\n;export { a };\n'));
});
