import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { continuationIn, messagesFor, proposalIn, withCursor } from './messages.ts';

const told = {
  task: 'fix',
  language: 'python',
  source: 'mean(x)\n',
  instruction: '',
  failure: "NameError: name 'mean' is not defined",
  names: 'Names that other cells define:\n- `x`: list, from load',
  values: '',
} as const;

describe('what a model is told', () => {
  it('is the wish, the cell, its failure, and the names around it', () => {
    const [, user] = messagesFor(told);
    assert.equal(
      user?.content,
      "Correct this cell.\n\nA Python cell:\n```python\nmean(x)\n```\n\nIt failed:\n```\nNameError: name 'mean' is not defined\n```\n\nNames that other cells define:\n- `x`: list, from load",
    );
  });

  it('is fenced so that no source ends its fence', () => {
    const [, user] = messagesFor({ ...told, source: 'text = """\n```\n"""', failure: null });
    assert.match(user?.content ?? '', /````python\ntext = """\n```\n"""\n````/);
  });
});

describe('what is read out of an answer', () => {
  const answers: readonly [name: string, text: string, source: string | null, words: string][] = [
    ['code and words', '```python\nx = 1\n```\nIt was 2.', 'x = 1', 'It was 2.'],
    ['words around it', 'Here:\n\n```\nx = 1\n\n\ny = 2\n```\n\nDone.', 'x = 1\n\n\ny = 2', 'Here:\n\nDone.'],
    ['a longer fence', '````python\nt = """\n```\n"""\n````', 't = """\n```\n"""', ''],
    ['no code', 'I cannot.', null, 'I cannot.'],
    ['code without an end', '```python\nx = 1', null, '```python\nx = 1'],
  ];
  for (const [name, text, source, words] of answers)
    it(name, () => assert.deepEqual(proposalIn(text), { source, words }));
});

describe('what goes on with what is typed', () => {
  it('is asked for at the cursor', () => {
    const source = withCursor('total = \nprint(total)', 8);
    const [, user] = messagesFor({ ...told, task: 'complete', source, failure: null });
    assert.equal(
      user?.content,
      'Go on at <|cursor|>.\n\nA Python cell:\n```python\ntotal = <|cursor|>\nprint(total)\n```\n\nNames that other cells define:\n- `x`: list, from load',
    );
  });

  const answers: readonly [name: string, before: string, answer: string, inserted: string | null][] = [
    ['what is missing', 'x = ', '```python\nsum(y)\n```', 'sum(y)'],
    ['several lines, as they are indented', 'for y in z:\n', '```\n    a(y)\n    b(y)\n```', '    a(y)\n    b(y)'],
    ['a line that is repeated', 'if a:\n    x = ', '```\n    x = sum(y)\n```', 'sum(y)'],
    ['the mark itself', 'x = ', '```\n<|cursor|>1\n```', '1'],
    ['nothing', 'x = 1', '```\n\n```', null],
    ['words alone', 'x = 1', 'There is nothing to add.', null],
  ];
  for (const [name, before, answer, inserted] of answers)
    it(name, () => assert.equal(continuationIn(answer, before), inserted));
});
