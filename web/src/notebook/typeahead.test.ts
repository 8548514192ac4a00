import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTypeahead } from './typeahead.ts';

const plain = { metaKey: false, ctrlKey: false, altKey: false };

it('keeps what is typed for a cell to come, and the runs between', () => {
  const typeahead = createTypeahead();
  const type = (...keys: string[]) => keys.map((key) => typeahead.press({ ...plain, key }));
  assert.deepEqual(type('a'), [false]);
  typeahead.wait('editor');
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
  typeahead.pressCommand(() => {
    done.push('run');
    typeahead.wait('editor');
  });
  type('n', 'e', 'x', 't');
  typeahead.replay((text) => done.push(text));
  assert.deepEqual([done, typeahead.takes()], [['x\n1', 'run'], 'text']);
  typeahead.replay((text) => done.push(text));
  assert.deepEqual([done, typeahead.takes()], [['x\n1', 'run', 'next'], null]);
});

it('forgets what was typed for a cell that does not come', () => {
  const typeahead = createTypeahead();
  typeahead.wait('editor');
  typeahead.press({ ...plain, key: 'a' });
  typeahead.drop();
  typeahead.replay(() => assert.fail('nothing is left'));
});

it('keeps commands for a cell to come, text for its editor once one opens it, and commands again', () => {
  const typeahead = createTypeahead();
  const done: string[] = [];
  const arrives = () => {
    typeahead.replay((text) => void done.push(text));
    return [done.splice(0), typeahead.takes()];
  };
  typeahead.wait('cell');
  typeahead.pressCommand(() => {
    done.push('to Markdown');
    typeahead.wait('cell');
  });
  assert.equal(typeahead.takes(), 'commands');
  typeahead.pressCommand(() => done.push('open'), 'opens');
  assert.equal(typeahead.takes(), 'text');
  typeahead.press({ ...plain, key: 'a' });
  assert.deepEqual(arrives(), [['to Markdown'], 'text']);
  typeahead.press({ ...plain, key: 'b' });
  typeahead.pressCommand(() => done.push('leave'), 'closes');
  assert.deepEqual(arrives(), [['open'], 'commands']);
  typeahead.pressCommand(() => done.push('run'));
  assert.deepEqual(arrives(), [['ab', 'leave', 'run'], null]);
});
