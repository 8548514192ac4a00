// A worker that is killed takes everything with it that holds memory, of the machine or of a device: zygotes, processes that
// wait for a cell, running cells, and what those have started, however well it hid.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { describe, it } from 'node:test';
import { until } from './kit/until.ts';
import { startWorker } from './kit/worker.ts';

/** Cells that would rather stay. */
const cells = {
  'sleeps in the system': 'import time\ntime.sleep(600)',
  'computes and heeds no signal':
    'import signal\nfor one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(one, signal.SIG_IGN)\nwhile True: pass',
  'left its session': 'import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\nos.waitpid(-1, 0)',
  'made itself a daemon': `import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() > 0: os._exit(0)
    os.closerange(0, 1024)
    time.sleep(600)
time.sleep(600)`,
  'runs programs in sessions of their own':
    'import subprocess\nsubprocess.Popen(["sleep", "600"], start_new_session=True)\nsubprocess.run(["setsid", "--fork", "sleep", "600"])\nsubprocess.run(["sleep", "600"])',
};

/** How many processes each of these cells has at least, when it is under way. */
const processCount = 1 + 1 + 2 + 2 + 4;

describe('a worker that is killed', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  it('leaves no process behind', async () => {
    const mark = `TEST_MARK=${randomUUID()}`;
    const worker = await startWorker({ env: { TEST_MARK: mark.slice(10) } });
    const running = Object.values(cells).map((source, index) =>
      worker.execute(source, { params: { timeout_seconds: 600 }, metadata: { build_id: `kill-${index}` } }),
    );
    for (const one of running) one.catch(() => {});
    // The worker and its zygote stand beside those of the cells.
    await until(() => marked(mark).length >= processCount + 2, 'the cell has started its processes');
    worker.process.kill('SIGKILL');
    const begun = performance.now();
    await until(() => marked(mark).length === 0, 'all its processes have gone');
    const seconds = (performance.now() - begun) / 1000;
    assert.ok(seconds < 2, `It took ${seconds} s until all were gone.`);
    for (const answer of await Promise.allSettled(running)) assert.equal(answer.status, 'rejected');
  });
});

/** Processes that inherited the mark and still run; those that only wait to be buried show no environment. */
function marked(mark: string): string[] {
  return fs.readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });
}
