// The terminal viewer in terminals that show pictures: what it writes to them, and that nothing of a picture stays.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { findProgram } from './kit/parts.ts';
import { openRawTerminal } from './kit/rawTerminal.ts';
import { cleanEnvironment, newHome, startServer, type TestServer } from './kit/server.ts';

const viewer = fileURLToPath(new URL('../bin/svc-notebook-tui.js', import.meta.url));
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP4z8DA8J8BBP7//8/wHwAd8gX7Mlk+AwAAAABJRU5ErkJggg==';

interface Case {
  readonly terminal: string;
  readonly env: Readonly<Record<string, string>>;
  readonly drawn: RegExp;
  readonly cleared: RegExp;
}

const cases: readonly Case[] = [
  {
    terminal: 'kitty',
    env: { TERM: 'xterm-kitty', KITTY_WINDOW_ID: '1' },
    drawn: /␛7␛\[4;2H␛_Ga=T,f=100,i=\d+,c=52,C=1,q=2,m=0;([^␛]*)␛\\␛8/,
    cleared: /␛_Ga=d,d=I,i=\d+,q=2␛\\/,
  },
  {
    terminal: 'iTerm2',
    env: { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' },
    drawn: /␛7␛\[4;2H␛\]1337;File=inline=1;size=79;width=118;height=31;[^:]*:([^␇]*)␇␛8/,
    cleared: /␛7(?:␛\[\d+;2H {118}){31}␛8/,
  },
];

let home: string;
let server: TestServer;
let notebook: TestNotebook;

before(async () => {
  home = newHome();
  server = await startServer({ home });
  notebook = await createTestNotebook(server, 'Pictures');
  const source = `# @name drawn
import base64
class Drawn:
    def _repr_png_(self):
        return base64.b64decode('${png}')
Drawn()`;
  assert.equal((await notebook.run(await notebook.add(source))).status, 'ready');
});
after(async () => {
  await server[Symbol.asyncDispose]();
  fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const missing = findProgram('python3') === undefined && process.env.SVC_TEST_ALL !== '1' && 'python3 is missing';

describe('a picture', { skip: missing }, () => {
  for (const { terminal, env, drawn, cleared } of cases)
    it(`is shown as one in ${terminal}, and is gone before the panes are back`, async () => {
      const command = `${process.execPath} ${viewer} --session ${notebook.sessionId} --server ${server.address}`;
      const inherited = Object.entries(cleanEnvironment(home)).filter(
        ([name]) => !/^(TMUX|STY|ZELLIJ|TERM)/.test(name),
      );
      const options = { cwd: home, env: { ...Object.fromEntries(inherited), ...env } };
      await using screen = openRawTerminal(command, options);
      // Among other panes it is made of characters.
      await screen.writes(/░▓/);
      screen.type('i');
      const [, picture] = await screen.writes(drawn);
      assert.equal(picture, png);
      screen.type('\x1b');
      const { input, index } = await screen.writes(cleared);
      assert.doesNotMatch(input.slice(0, index), /Results/);
      await screen.writes(/Results/);
      // One that is there when the viewer ends goes with it, while the terminal still shows the viewer's own screen.
      screen.type('i');
      await screen.writes(drawn);
      screen.type('\x03');
      const last = await screen.writes(cleared);
      assert.doesNotMatch(last.input.slice(0, last.index), /␛\[\?1049l/);
      await screen.writes(/␛\[\?1049l/);
    });
});
