// The pure parts of the viewer: text made harmless, tables as lines, what keys do to the view.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emptyModel } from '../model/index.ts';
import { highlighted } from './highlight.ts';
import { actionOf, type Scene } from './keys.ts';
import { fit, plain, plainLines } from './lines.ts';
import { pictureLines } from './picture.ts';
import { tableLines } from './tableText.ts';
import { firstView, reduceView, type View, type ViewEvent } from './view.ts';

describe('text that others wrote', () => {
  it('moves no cursor, paints nothing and turns no direction', () => {
    assert.equal(plain('a\u001b[2J\u001b]0;title\u0007b\u0000\u009bc\u202ed'), 'abd');
    assert.deepEqual(plainLines('10%\r50%\r100%\r\nnext\tcolumn\n'), ['100%', 'next    column']);
  });

  it('is cut and filled to a width that counts wide characters twice', () => {
    assert.deepEqual([fit('abc', 5), fit('abcdef', 4), fit('日本語', 5)], ['abc  ', 'abc…', '日本…']);
  });
});

describe('a source', () => {
  it('has its words told apart, over several lines', () => {
    assert.deepEqual(highlighted('def f(): # why\n  return """a\nb"""', 'python'), [
      [
        { text: 'def', colour: 'magenta' },
        { text: ' ' },
        { text: 'f' },
        { text: '(): ' },
        { text: '# why', colour: 'gray' },
      ],
      [{ text: '  ' }, { text: 'return', colour: 'magenta' }, { text: ' ' }, { text: '"""a', colour: 'green' }],
      [{ text: 'b"""', colour: 'green' }],
    ]);
  });
});

describe('a table', () => {
  it('has numbers on the right, and begins where the chosen column is in sight', () => {
    const rows = [
      ['one', 1],
      ['three', 300],
    ];
    const texts = tableLines(['name', 'n'], rows, 40).map((line) => line.map(({ text }) => text).join(''));
    assert.deepEqual(texts, ['name     n  ', 'one      1', 'three  300']);
    const narrow = tableLines(['name', 'n'], rows, 5, { focused: 1 });
    assert.deepEqual(narrow[0], [{ text: '  n  ', bold: true, inverse: true }]);
  });
});

describe('a picture', () => {
  it('that is none is not drawn', () => {
    assert.equal(pictureLines(Buffer.from('no picture'), { width: 10, height: 10 }, true), null);
  });
});

describe('the view', () => {
  const scene: Scene = {
    order: ['a', 'b', 'c'],
    most: { top: 3, bottom: 3 },
    pageHeight: 10,
    table: { columns: ['n'], total: 120 },
  };
  const after = (...events: ViewEvent[]): View => events.reduce(reduceView, firstView);

  it('keeps within its bounds', () => {
    const view = after(
      { kind: 'step', by: 5, order: scene.order },
      { kind: 'cut', list: 90 },
      { kind: 'page', by: 9, total: 120 },
    );
    assert.deepEqual([view.selected, view.follow, view.listPercent, view.table.offset], ['c', false, 75, 100]);
  });

  it('sorts up, down and not at all', () => {
    const sort: ViewEvent = { kind: 'sort', column: 'n' };
    const sorts = [after(sort), after(sort, sort), after(sort, sort, sort)].map(({ table }) => table.sort?.direction);
    assert.deepEqual(sorts, ['asc', 'desc', undefined]);
  });

  it('leaves a cell that is gone', () => {
    const gone = reduceView({ ...firstView, selected: 'gone' }, { kind: 'model', model: emptyModel });
    assert.equal(gone.selected, null);
  });

  it('is left by q, which closes what lies over it first', () => {
    const over = after({ kind: 'overlay', overlay: 'help' });
    assert.deepEqual(
      [actionOf('q', {}, over, scene), actionOf('q', {}, firstView, scene)],
      [{ kind: 'back' }, { kind: 'quit' }],
    );
    assert.deepEqual(actionOf('', { downArrow: true }, firstView, scene), { kind: 'step', by: 1, order: scene.order });
    assert.equal(actionOf('x', {}, firstView, scene), null);
  });
});
