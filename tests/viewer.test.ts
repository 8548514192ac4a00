// The terminal viewer in a real terminal, on a real server: what it shows, its keys, a server that dies under it, and the
// terminal as it leaves it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { findProgram } from './kit/parts.ts';
import { freePort } from './kit/ports.ts';
import { cleanEnvironment, newHome, runSvc, startServer, type TestServer } from './kit/server.ts';
import { openTerminal, type TestTerminal } from './kit/terminal.ts';

const bin = fileURLToPath(new URL('../bin', import.meta.url));
let home: string;
let server: TestServer;
let notebook: TestNotebook;
let environment: Readonly<Record<string, string>>;

before(async () => {
  home = newHome();
  environment = { SVC_PORT: String(await freePort()), SVC_NOTEBOOK_STORAGE_DIR: path.join(home, 'notebooks') };
  server = await startServer({ home, env: environment });
  notebook = await createTestNotebook(server, 'Watched');
});
after(async () => {
  await server[Symbol.asyncDispose]();
  fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

/** A shell that stays when the viewer has ended, and says how it did. */
function view(args: string, program = 'svc-notebook-tui.js', more: NodeJS.ProcessEnv = {}): TestTerminal {
  const { NO_COLOR: _colourless, ...clean } = cleanEnvironment(home);
  const env = { ...clean, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color', ...more };
  const command = `echo before; ${process.execPath} ${path.join(bin, program)} ${args}; echo "ended with $?"; stty -a; cat`;
  return openTerminal(command, { cwd: home, env });
}

const terminalIsWell = (terminal: TestTerminal): void => {
  assert.deepEqual([terminal.read('alternate_on'), terminal.read('cursor_flag')], ['0', '1']);
  assert.match(terminal.screen(), /^before\n/);
  assert.match(terminal.screen(), /[^-]icanon/);
  assert.match(terminal.screen(), /[^-]echo /);
};

const missing = findProgram('tmux') === undefined && process.env.SVC_TEST_ALL !== '1' && 'tmux is missing: install it';

describe('the terminal viewer', { skip: missing }, () => {
  it('shows cells as they change, what they print and show, and follows what runs', async () => {
    const first = await notebook.add('# @name start\nx = 20\nprint("to the console\\x1b[2J")\nx + 1');
    using terminal = view(`--notebook ${notebook.path} --server ${server.address}`);
    await terminal.shows(/Watched — connected {2}· {2}⏵ follow/);
    await terminal.shows(/○ {2}start {2}x = 20/);
    await notebook.run(first);
    await terminal.shows(/✓ {2}start {2}x = 20/);
    await terminal.shows(/Output[\s\S]*│21 /);
    terminal.press('5');
    await terminal.shows(/│to the console /);
    const second = await notebook.add('# @name next\ny = x / 0');
    await terminal.shows(/○ {2}next/);
    await notebook.run(second);
    await terminal.shows(/✗ {2}next/);
    terminal.press('4');
    await terminal.shows(/│ZeroDivisionError: division by zero/);
    terminal.press('d');
    await terminal.shows(/║ ✗ next ║[\s\S]*start → next {2}\(x\)/);
    terminal.press('Escape');
    await terminal.shows(/1 ready · 1 error · 1 edges/);
    terminal.press('1', 'Up');
    await terminal.shows(/Watched — connected *\n/);
    await terminal.shows(/│print\("to the console/);
    terminal.press('?');
    await terminal.shows(/follow the cell that runs/);
    terminal.press('q');
    await terminal.shows(/✓ {2}start/);
    terminal.resize(80, 20);
    await terminal.shows(/^(?:[^\n]*\n){19} q Quit/);
    terminal.press('q');
    await terminal.shows(/ended with 0[\s\S]*icanon/);
    terminalIsWell(terminal);
    await notebook.request('DELETE', `/cells/${second}`);
  });

  it('shows both streams in the order in which the cell wrote them', async () => {
    const cell = await notebook.add(
      '# @name both\nimport sys, time\nfor n in range(2):\n    print("out", n, flush=True)\n    time.sleep(0.2)\n    print("err", n, file=sys.stderr, flush=True)\n    time.sleep(0.2)',
    );
    using terminal = view(`--session ${notebook.sessionId} --server ${server.address}`);
    await terminal.shows(/○ {2}both/);
    terminal.press('5');
    await notebook.run(cell);
    await terminal.shows(/✓ {2}both[\s\S]*│out 0 .*\n.*│err 0 .*\n.*│out 1 .*\n.*│err 1 /);
    await notebook.request('DELETE', `/cells/${cell}`);
  });

  it('pages, sorts and saves a table', async () => {
    const cell = await notebook.add(
      '# @name rows\nimport pyarrow as pa\npa.table({"n": range(120), "m": range(120, 0, -1)})',
    );
    using terminal = view(`--session ${notebook.sessionId} --server ${server.address}`);
    await terminal.shows(/○ {2}rows/);
    await notebook.run(cell);
    await terminal.shows(/1–50 of 120 rows[\s\S]*│ 0 {2}120/);
    terminal.press('4', 'n');
    await terminal.shows(/51–100 of 120 rows[\s\S]*│50 {2}70/);
    terminal.press('Right', 's');
    await terminal.shows(/1–50 of 120 rows[\s\S]*m ▲[\s\S]*│119 {4}1 /);
    terminal.press('s');
    await terminal.shows(/m ▼[\s\S]*│ 0 {2}120/);
    terminal.press('e');
    await terminal.shows(/saved .*\.csv/);
    const saved = fs.readFileSync(path.join(home, `${cell}.csv`), 'utf8');
    assert.deepEqual(
      saved
        .split('\n')
        .slice(0, 2)
        .map((row) => row.replaceAll('"', '').trim()),
      ['n,m', '0,120'],
    );
    await notebook.request('DELETE', `/cells/${cell}`);
  });

  it('draws pictures in characters', async () => {
    // Two by two pixels: red, green, blue, white.
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP4z8DA8J8BBP7//8/wHwAd8gX7Mlk+AwAAAABJRU5ErkJggg==';
    const source = `# @name drawn\nimport base64\nclass Drawn:\n    def _repr_png_(self):\n        return base64.b64decode('${png}')\nDrawn()`;
    const cell = await notebook.add(source);
    // What shares a terminal among programs passes no pictures on, whichever terminal that is.
    const more = { KITTY_WINDOW_ID: '1' };
    using terminal = view(`--session ${notebook.sessionId} --server ${server.address}`, 'svc-notebook-tui.js', more);
    await terminal.shows(/○ {2}drawn/);
    await notebook.run(cell);
    await terminal.shows(/│▀▀ /);
    terminal.press('i');
    await terminal.shows(/Picture {2}\(Esc closes\)[\s\S]*│▀▀ /);
    using colourless = view(`--session ${notebook.sessionId} --server ${server.address}`, 'svc-notebook-tui.js', {
      NO_COLOR: '1',
    });
    await colourless.shows(/start/);
    colourless.press('Down');
    await colourless.shows(/│░▓ /);
    await notebook.request('DELETE', `/cells/${cell}`);
  });

  it('outlives its server: it comes back with what is there then', async () => {
    using terminal = view(`${notebook.path} --server ${server.address}`, 'svc.js watch');
    await terminal.shows(/✓ {2}start/);
    await server.stop('SIGKILL');
    await terminal.shows(/reconnecting…/);
    server = await startServer({ home, env: environment });
    await terminal.shows(/connected/);
    notebook = await openTestNotebook(server, notebook.path);
    const added = await notebook.add('# @name afterwards\nz = 1\nz');
    await terminal.shows(/○ {2}afterwards/);
    await notebook.run(added);
    await terminal.shows(/✓ {2}afterwards/);
  });

  it('says that it is reconnecting when its server stops, and comes back with it', async () => {
    using terminal = view(`--notebook ${notebook.path} --server ${server.address}`);
    await terminal.shows(/— connected/);
    await server.stop('SIGTERM');
    await terminal.shows(/— reconnecting…/);
    server = await startServer({ home, env: environment });
    await terminal.shows(/— connected/);
    notebook = await openTestNotebook(server, notebook.path);
    const added = await notebook.add('# @name onwards\nz + 1');
    await notebook.run(added);
    await terminal.shows(/✓ {2}onwards/);
    terminal.press('q');
    await terminal.shows(/ended with 0[\s\S]*icanon/);
    terminalIsWell(terminal);
  });

  it('waits for a key when somebody closed the session', async () => {
    using terminal = view(`--session ${notebook.sessionId} --server ${server.address}`);
    await terminal.shows(/connected/);
    await notebook.request('POST', '/close');
    await terminal.shows(/session closed \(\w+\) · r to reopen/);
    terminal.press('r');
    await terminal.shows(/— connected/);
    notebook = await openTestNotebook(server, notebook.path);
  });

  it('asks which one when several notebooks are open', async () => {
    const other = await createTestNotebook(server, 'Other');
    using terminal = view(`--server ${server.address}`);
    await terminal.shows(/Which notebook\?[\s\S]*Watched[\s\S]*Other/);
    terminal.press('Down', 'Enter');
    await terminal.shows(/Other — connected/);
    await other.request('POST', '/close');
  });

  it('gives the terminal back at a signal', async () => {
    using terminal = view(`--session ${notebook.sessionId} --server ${server.address}`);
    await terminal.shows(/connected/);
    const [shell] = [terminal.read('pane_pid')];
    const [viewer] = fs.readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim().split(' ');
    process.kill(Number(viewer), 'SIGTERM');
    await terminal.shows(/ended with 143[\s\S]*icanon/);
    terminalIsWell(terminal);
  });

  it('gives the terminal back when it breaks, and says why', async (t) => {
    // A server that says what no server of ours says.
    const broken = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    broken.on('connection', (socket) => socket.send('not a frame'));
    t.after(() => broken.close());
    await once(broken, 'listening');
    const { port } = Object(broken.address());
    using terminal = view(`--session any --server http://127.0.0.1:${port}`);
    await terminal.shows(/error: .*not valid JSON[\s\S]*ended with 1[\s\S]*icanon/);
    terminalIsWell(terminal);
  });

  it('says what to do where it cannot be used', async () => {
    const watch = (...args: string[]) => runSvc(['watch', ...args], { home });
    assert.deepEqual(await watch('--server', server.address), {
      code: 2,
      stdout: '',
      stderr: 'error: the viewer needs a terminal; `svc status` tells programs the same\n',
    });
    assert.deepEqual(await watch('.', '--session', 'x'), {
      code: 2,
      stdout: '',
      stderr: 'error: name a directory or a session, not both\n',
    });
  });
});
