// Which terminals show pictures, and what is written to them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clearing, drawing, graphicsOf, pictureOf } from './graphics.ts';

/** As long as it says, and so large in pixels. */
function pngOf(length: number, width: number, height: number): Buffer {
  const png = Buffer.alloc(length, 7);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(png);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

const area = { top: 4, left: 2, width: 100, height: 20 };

describe('pictures in a terminal', () => {
  it('are known by its environment', () => {
    const cases: [NodeJS.ProcessEnv, string | null][] = [
      [{ TERM: 'xterm-kitty' }, 'kitty'],
      [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, 'kitty'],
      [{ TERM_PROGRAM: 'ghostty' }, 'kitty'],
      [{ TERM: 'xterm-ghostty' }, 'kitty'],
      [{ TERM_PROGRAM: 'iTerm.app' }, 'iterm'],
      [{ TERM_PROGRAM: 'WezTerm' }, 'iterm'],
      [{ TERM: 'xterm-256color' }, null],
      [{ TERM_PROGRAM: 'Apple_Terminal' }, null],
      [{}, null],
      [{ TERM: 'tmux-256color', KITTY_WINDOW_ID: '1' }, null],
      [{ TERM: 'xterm-kitty', TMUX: '/tmp/tmux,1,0' }, null],
      [{ TERM: 'screen', TERM_PROGRAM: 'iTerm.app' }, null],
      [{ TERM_PROGRAM: 'WezTerm', ZELLIJ: '0' }, null],
    ];
    assert.deepEqual(
      cases.map(([environment]) => graphicsOf(environment)),
      cases.map(([, graphics]) => graphics),
    );
  });

  it('are PNGs of a size that can be sent', () => {
    const png = pngOf(100, 640, 480);
    assert.deepEqual(pictureOf(png), { png, width: 640, height: 480 });
    const none = [Buffer.alloc(0), Buffer.from('GIF89a'.padEnd(60)), pngOf(100, 0, 3), pngOf(9 * 1024 * 1024, 1, 1)];
    assert.deepEqual(
      none.map((bytes) => pictureOf(bytes)),
      none.map(() => null),
    );
  });

  it('are drawn by kitty in chunks, no wider than the height allows', () => {
    const png = pngOf(4000, 400, 400);
    const text = png.toString('base64');
    const drawn = drawing('kitty', { png, width: 400, height: 400 }, area, 9);
    assert.equal(
      drawn,
      `\x1b7\x1b[4;2H\x1b_Ga=T,f=100,i=9,c=34,C=1,q=2,m=1;${text.slice(0, 4096)}\x1b\\\x1b_Gq=2,m=0;${text.slice(4096)}\x1b\\\x1b8`,
    );
    assert.match(drawing('kitty', { png, width: 4000, height: 400 }, area, 9), /,c=100,/);
    assert.equal(clearing('kitty', area, 9), '\x1b_Ga=d,d=I,i=9,q=2\x1b\\');
  });

  it('are fitted into the area by iTerm2, and wiped away', () => {
    const png = pngOf(30, 2, 2);
    assert.equal(
      drawing('iterm', { png, width: 2, height: 2 }, area, 9),
      `\x1b7\x1b[4;2H\x1b]1337;File=inline=1;size=30;width=100;height=20;preserveAspectRatio=1;doNotMoveCursor=1:${png.toString('base64')}\x07\x1b8`,
    );
    assert.equal(clearing('iterm', { ...area, width: 3, height: 2 }, 9), '\x1b7\x1b[4;2H   \x1b[5;2H   \x1b8');
  });
});
