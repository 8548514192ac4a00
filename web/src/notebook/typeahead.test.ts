import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTypeahead } from './typeahead.ts';

const plain = { metaKey: false, ctrlKey: false, altKey: false };

it('keeps what is typed for a cell to come, and the runs between', () => {
  const typeahead = createTypeahead();
  const type = (...keys: string[]) => keys.map((key) => typeahead.press({ ...plain, key }));
  assert.deepEqual(type('a'), [false]);
  typeahead.wait();
  assert.deepEqual(type('Enter', 'x', 'y', 'Backspace', 'Enter', '1', 'F5'), [
    true,
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
  const done: string[] = [];
  typeahead.pressRun(() => {
    done.push('run');
    typeahead.wait();
  });
  type('n', 'e', 'x', 't');
  typeahead.replay((text) => done.push(text));
  assert.deepEqual([done, typeahead.isWaiting()], [['x\n1', 'run'], true]);
  typeahead.replay((text) => done.push(text));
  assert.deepEqual([done, typeahead.isWaiting()], [['x\n1', 'run', 'next'], false]);
});

it('forgets what was typed for a cell that does not come', () => {
  const typeahead = createTypeahead();
  typeahead.wait();
  typeahead.press({ ...plain, key: 'a' });
  typeahead.drop();
  typeahead.replay(() => assert.fail('nothing is left'));
});
