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
