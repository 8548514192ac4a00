// What one cell may take of the machine, in every language: a cell that wants more fails and says whose limit it met, and the
// cells beside it and the server go on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startForOther, withoutOther } from './kit/otherUser.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const limits = {
  SVC_NOTEBOOK_CELL_MEMORY_MB: '700',
  SVC_NOTEBOOK_CELL_OPEN_FILES: '256',
  SVC_NOTEBOOK_CELL_FILE_MB: '2',
  SVC_NOTEBOOK_CELL_NICENESS: '7',
};

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer({ env: limits });
  notebook = await createTestNotebook(server, 'Limits');
});
after(() => server[Symbol.asyncDispose]());

async function add(language: string, source: string, to = notebook): Promise<string> {
  const { id } = Object((await to.request('POST', '/cells', { language })).json);
  await to.edit(id, source);
  return id;
}

/** The value that a cell shows, or why it failed. */
async function outcome(language: string, source: string, to = notebook): Promise<unknown> {
  const { status, display, error } = await to.run(await add(language, source, to));
  return status === 'ready' ? display?.preview : String(error);
}

const memory = 'A cell of this server may take 700 MB of memory (SVC_NOTEBOOK_CELL_MEMORY_MB).';

describe('a cell that wants more than it may', () => {
  it('of memory fails with the limit in words, and the next runs', async () => {
    assert.equal(await outcome('python', 'held = bytearray(2**30)\nlen(held)'), `MemoryError: ${memory}`);
    assert.equal(await outcome('python', 'small = bytearray(2**28)\nlen(small)'), 2 ** 28);
    assert.equal(
      await outcome('r', 'many <- numeric(2^27)\nlength(many)'),
      `simpleError: cannot allocate vector of size 1024.0 Mb\n${memory}`,
    );
  });

  it('of open files, in each language', async () => {
    const words = 'A cell of this server may have 256 files open (SVC_NOTEBOOK_CELL_OPEN_FILES).';
    const python = await outcome('python', 'opened = [open("/dev/null") for _ in range(300)]\nlen(opened)');
    assert.equal(python, `OSError: [Errno 24] Too many open files: '/dev/null'\n${words}`);
    const node = await outcome(
      'javascript',
      "import fs from 'node:fs';\nconst opened = Array.from({ length: 300 }, () => fs.openSync('/dev/null'));\nopened.length",
    );
    assert.equal(node, `Error: EMFILE: too many open files, open '/dev/null'\n${words}`);
  });

  it('of a file, which may be the value that it gives', async () => {
    const words = 'A cell of this server may write files of 2 MB (SVC_NOTEBOOK_CELL_FILE_MB).';
    assert.equal(
      await outcome('python', 'written = open("large.bin", "wb").write(bytes(3 * 2**20))'),
      `OSError: [Errno 27] File too large\n${words}`,
    );
    const made = await add('python', 'large = bytes(range(256)) * 2**15');
    await add('python', 'len(large)');
    const { status, error } = await notebook.run(made);
    assert.deepEqual(
      [status, error],
      [
        'error',
        'The cell ran, but what other cells read of it could not be stored ' +
          `(large: what the cell made could not be stored: [Errno 27] File too large. ${words}).`,
      ],
    );
  });

  it('of processes, where another user runs cells', { skip: withoutOther }, async () => {
    await using own = await startForOther({ SVC_NOTEBOOK_CELL_PROCESSES: '64' });
    const theirs = await createTestNotebook(own, 'Processes');
    const source = `import subprocess
started = []
try:
    for _ in range(100):
        started.append(subprocess.Popen(["sleep", "60"]))
finally:
    for one in started:
        one.kill()
len(started)`;
    const said = await outcome('python', source, theirs);
    assert.equal(
      said,
      'BlockingIOError: [Errno 11] Resource temporarily unavailable\n' +
        'A cell of this server may have 64 processes and threads with its kind (SVC_NOTEBOOK_CELL_PROCESSES).',
    );
    // The last of them are gone a moment later.
    await until(async () => (await outcome('python', '1 + 1', theirs)) === 2, 'a cell runs again');
  });
});

describe('a cell', () => {
  // The server hears that a cell has begun, and sees to it then: cells that are to stand back wait for that.
  const inPython = (wanted: number): string => `import os, subprocess, time
deadline = time.monotonic() + 20
while os.nice(0) != ${wanted} and time.monotonic() < deadline: time.sleep(0.01)
[os.nice(0), int(subprocess.run(["nice"], capture_output=True).stdout), open("/proc/self/autogroup").read() if os.path.exists("/proc/self/autogroup") else ""]`;
  const inJavaScript = (wanted: number): string => `import os from 'node:os';
const deadline = Date.now() + 20_000;
while (os.getPriority() !== ${wanted} && Date.now() < deadline) await new Promise((later) => setTimeout(later, 10));
os.getPriority()`;
  const inR = (wanted: number): string => `now <- function() as.integer(system("nice", intern = TRUE))
deadline <- Sys.time() + 20
while (now() != ${wanted} && Sys.time() < deadline) Sys.sleep(0.01)
level <- now()`;

  it('has its share of the machine as any program', async () => {
    const [own, started] = Object(await outcome('python', inPython(0)));
    assert.deepEqual([own, started, await outcome('javascript', inJavaScript(0))], [0, 0, 0]);
  });

  describe('beside as many others as there are cores', () => {
    const stop: (() => void)[] = [];
    before(async () => {
      for (let one = 0; one < availableParallelism(); one++) {
        const other = await createTestNotebook(server, `Busy ${one}`);
        const cell_id = await add('python', 'import time\nprint("here", flush=True)\ntime.sleep(600)', other);
        const printed = other.socket.frame(({ type }) => type === 'cell_console');
        other.socket.send('cell_execute', { cell_id });
        await printed;
        stop.push(() => other.socket.send('cell_cancel', { cell_id }));
      }
    });
    after(() => {
      for (const each of stop) each();
    });

    it('stands back behind the server, with what it starts', async () => {
      const [own, started, share] = Object(await outcome('python', inPython(7)));
      const r = await add('r', inR(7));
      const shown = await add('python', 'level');
      await notebook.run(r);
      const { display } = await notebook.run(shown);
      assert.deepEqual([own, started, await outcome('javascript', inJavaScript(7)), display?.preview], [7, 7, 7, 7]);
      const ofServer = fs.readFileSync(`/proc/${server.process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16];
      assert.equal(ofServer, '0');
      // Where the system shares its time by session, the cell's own share is as small.
      if (share !== '') assert.match(share, /nice 7\n$/);
    });
  });
});
