import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { colouredRuns, hasColours, type Look } from './terminalColours.ts';
import { terminalText } from './terminalText.ts';

describe('printed text in the colours that it asks for', () => {
  const red: Look = { colour: '#cd0000' };
  const shown: readonly [what: string, printed: string, runs: readonly (readonly [string, Look])[]][] = [
    ['plain text', 'one\ntwo', [['one\ntwo', {}]]],
    [
      'a word',
      'a \x1b[31mred\x1b[0m word',
      [
        ['a ', {}],
        ['red', red],
        [' word', {}],
      ],
    ],
    ['a colour that goes on in the next line', '\x1b[31mone\ntwo\x1b[m', [['one\ntwo', red]]],
    [
      'several looks at once',
      '\x1b[1;4;31mloud\x1b[22m\x1b[39mquiet',
      [
        ['loud', { isBold: true, isUnderlined: true, colour: '#cd0000' }],
        ['quiet', { isBold: false, isFaint: false, isUnderlined: true }],
      ],
    ],
    [
      'one of 256',
      '\x1b[38;5;208mx\x1b[48;5;240my',
      [
        ['x', { colour: '#ff8700' }],
        ['y', { colour: '#ff8700', background: '#585858' }],
      ],
    ],
    ['any colour', '\x1b[38;2;1;2;255mx', [['x', { colour: '#0102ff' }]]],
    [
      'what colons say more of',
      '\x1b[38:2::1:2:255mx\x1b[48:5:240my\x1b[4:3mz\x1b[4:0m!',
      [
        ['x', { colour: '#0102ff' }],
        ['y', { colour: '#0102ff', background: '#585858' }],
        ['z', { colour: '#0102ff', background: '#585858', isUnderlined: true }],
        ['!', { colour: '#0102ff', background: '#585858', isUnderlined: false }],
      ],
    ],
    [
      'the colour of a line below the text',
      '\x1b[31mx\x1b[58;5;44;4my\x1b[58:2::1:1:1mz',
      [
        ['x', red],
        ['yz', { ...red, isUnderlined: true }],
      ],
    ],
    ['a bright one, and one behind', '\x1b[92;44mx', [['x', { colour: '#00c000', background: '#0000ee' }]]],
    [
      'what no terminal knows',
      '\x1b[38;5;999;31mx\x1b[777my',
      [
        ['x', red],
        ['y', red],
      ],
    ],
    ['a coloured bar that is drawn over', '\x1b[31m 50%\x1b[0m\r\x1b[31m100%\x1b[0m', [['100%', red]]],
    ['a line that is cleared', 'loading\r\x1b[K\x1b[31mok', [['ok', red]]],
    [
      'signs beyond the first plane',
      '\x1b[31m🙂\x1b[0m!',
      [
        ['🙂', red],
        ['!', {}],
      ],
    ],
  ];
  for (const [what, printed, runs] of shown)
    it(what, () => {
      assert.deepEqual(
        colouredRuns(printed).map(({ text, look }) => [text, look]),
        runs,
      );
      assert.equal(
        colouredRuns(printed)
          .map(({ text }) => text)
          .join(''),
        terminalText(printed),
      );
    });

  it('knows text that asks for none', () => {
    assert.deepEqual(['x', '\x1b[2Kx', '\x1b[1mx'].map(hasColours), [false, false, true]);
  });
});
