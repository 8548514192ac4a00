import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { terminalText } from './terminalText.ts';

describe('printed text as a terminal shows it', () => {
  const shown: readonly [what: string, printed: string, shown: string][] = [
    ['plain text', 'one\ntwo\n', 'one\ntwo\n'],
    ['a progress bar', '\r  0%|   |\r 50%|#  |\r100%|###|\ndone\n', '100%|###|\ndone\n'],
    ['a shorter text over a longer one', 'loading\rok', 'okading'],
    ['a shorter text over a line that is cleared', 'loading\x1b[2K\rok', 'ok'],
    ['a shorter text that clears the rest', 'loading\rok\x1b[K', 'ok'],
    ['lines as Windows ends them', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['a spinner that erases itself', 'wait |\b/\b-\n', 'wait -\n'],
    ['colours', '\x1b[31mred\x1b[0m and \x1b[1;38;5;40mgreen\x1b[m', 'red and green'],
    ['a link and a title', '\x1b]0;title\x07text \x1b]8;;http://a\x1b\\here\x1b]8;;\x1b\\', 'text here'],
  ];
  for (const [what, printed, expected] of shown) it(what, () => assert.equal(terminalText(printed), expected));
});
