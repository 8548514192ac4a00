// Classes of cells: an object of a class is an object of that class, whichever way both arrive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer } from './kit/server.ts';

test('classes, enums and what holds their objects belong together across cells', async () => {
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Classes');
  await notebook.add(
    [
      'from dataclasses import dataclass',
      'from enum import Enum',
      'class Colour(Enum):',
      '    RED = 1',
      '    GREEN = 2',
      '@dataclass(order=True)',
      'class Card:',
      '    value: int',
      '    colour: Colour = Colour.RED',
      '    def __repr__(self):',
      '        return f"{self.value} of {self.colour.name}"',
    ].join('\n'),
  );
  await notebook.add('one = Card(1, Colour.GREEN)\ncards = {"hand": [Card(3), one]}\nred = Colour.RED');
  const same = await notebook.add(
    'hand = cards["hand"]\n[isinstance(one, Card), isinstance(hand[0], Card), hand[0].colour is Colour.RED, red is Colour.RED, hand[1] == one]',
  );
  const largest = await notebook.add('max([*cards["hand"], Card(9, red)], key=lambda card: card.value)');
  await notebook.run(same);
  await notebook.run(largest);
  const shown = async (id: string) => (await notebook.cell(id)).display_output;
  assert.deepEqual((await shown(same))?.preview, [true, true, true, true, true]);
  assert.equal((await shown(largest))?.text, '9 of RED', 'it is shown as it describes itself');
});

test('tests and examples of other cells are found where they are named, and where they are not somebody says so', async () => {
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Tests');
  await notebook.add('def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b');
  await notebook.add(
    'import unittest\nclass TestAdd(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(add(1, 1), 2)',
  );
  const examples = await notebook.add('import doctest\nadd\ndoctest.testmod().attempted');
  const tests = await notebook.add("import unittest\nTestAdd\nunittest.main(argv=[''], exit=False).result.testsRun");
  const none = await notebook.add(
    "import doctest, unittest\n[doctest.testmod().attempted, unittest.main(argv=[''], exit=False).result.testsRun]",
  );
  for (const id of [examples, tests, none]) await notebook.run(id);
  const shown = async (id: string) => (await notebook.cell(id)).display_output?.preview;
  assert.deepEqual([await shown(examples), await shown(tests), await shown(none)], [1, 1, [0, 0]]);
  const said = (await notebook.cell(none)).console_stderr ?? '';
  assert.deepEqual(
    said.split('\n').filter((line) => line.includes('name those')),
    [
      'doctest.testmod() tries the examples of this cell, and of functions that it names: name those of other cells here.',
      'unittest runs the tests of this cell, and of classes that it names: name those of other cells here.',
    ],
  );
});

test('what is put into a class or a function is there in the cells below', async () => {
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Kept by classes');
  await notebook.add(
    [
      'class Agent:',
      '    count = 0',
      '    names = []',
      '    def __init__(self, name):',
      '        Agent.count += 1',
      '        self.names.append(name)',
      'def ask():',
      '    ask.times += 1',
      '    return ask.times',
      'ask.times = 0',
      'first = Agent("in its own cell")',
    ].join('\n'),
  );
  const second = await notebook.add('second = Agent("below")\nask()');
  const third = await notebook.add('Agent.shout = lambda self: self.names[-1].upper()');
  const shown = await notebook.add('[Agent.count, Agent.names, first.count, second.shout(), ask()]');
  for (const id of [second, third, shown]) await notebook.run(id);
  const preview = async (id: string) => (await notebook.cell(id)).display_output?.preview;
  assert.deepEqual(await preview(shown), [2, ['in its own cell', 'below'], 2, 'BELOW', 2]);
  assert.deepEqual((await notebook.cell(second)).effects?.settings_made, ['kept by Agent', 'kept by ask']);
  assert.deepEqual((await notebook.cell(third)).effects?.settings_made, ['kept by Agent']);

  await notebook.edit(second, 'second = Agent("edited")\nAgent("and one more")');
  await notebook.run(shown);
  assert.deepEqual(await preview(shown), [3, ['in its own cell', 'edited', 'and one more'], 3, 'AND ONE MORE', 1]);
});

test('functions that were registered by a decorator of another cell are found in the registry', async () => {
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Registry');
  await notebook.add(
    'handlers = {}\ndef register(name):\n    def keep(function):\n        handlers[name] = function\n        return function\n    return keep',
  );
  await notebook.add('handlers = handlers\n@register("add")\ndef add(a, b):\n    return a + b');
  await notebook.add('handlers = handlers\n@register("twice")\ndef twice(a):\n    return add(a, a)');
  const called = await notebook.add('[sorted(handlers), handlers["add"](2, 3), handlers["twice"](4), add(1, 1)]');
  const alone = await notebook.add('add(1, 2)');
  for (const id of [called, alone]) assert.equal((await notebook.run(id)).error, null);
  assert.equal((await notebook.cell(alone)).display_output?.preview, 3);
  assert.deepEqual((await notebook.cell(called)).display_output?.preview, [['add', 'twice'], 5, 8, 2]);
});

test('what cells put into a class adds up, also from one that begins to between them', async () => {
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Counted');
  await notebook.add('class Agent:\n    count = 0\n    def __init__(self):\n        Agent.count += 1');
  const between = await notebook.add('zero = 0');
  const made = await notebook.add('one = Agent()');
  const shown = await notebook.add('Agent.count');
  const preview = async () => (await notebook.cell(shown)).display_output?.preview;
  for (const id of [between, made, shown]) await notebook.run(id);
  const before = await preview();
  await notebook.edit(between, 'zero = Agent()');
  for (const id of [between, shown]) await notebook.run(id);
  assert.deepEqual([before, await preview()], [1, 2]);
});

test('what a class keeps and nobody can read again stays in its cell, and those below run without it', async () => {
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Unreadable');
  await notebook.add(
    'class Refused(Exception):\n    def __init__(self, code, text): super().__init__(text)\nclass Agent:\n    count = 0',
  );
  const made = await notebook.add('Agent.count = 1\nAgent.last = Refused(1, "no")');
  const shown = await notebook.add('Agent.__name__, Agent.count');
  for (const id of [made, shown]) await notebook.run(id);
  const { display_output, error } = await notebook.cell(shown);
  const why = "Refused.__init__() missing 1 required positional argument: 'text'";
  assert.deepEqual(
    [(await notebook.cell(made)).console_stderr, error, display_output?.text],
    [`Agent.last stays in this cell (${why}): other cells have Agent without it.\n`, null, "('Agent', 1)"],
  );
});
