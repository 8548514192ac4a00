// Secrets of a worker and the programs that start it: cells are the same user, and could read what such a program shows.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findProgram } from './kit/parts.ts';
import { startWorker } from './kit/worker.ts';

const checkout = fileURLToPath(new URL('../', import.meta.url));
const secret = 'words-of-the-launcher';
const skip = process.platform === 'linux' ? false : 'Only Linux shows the variables of processes.';

const node = findProgram('node', ['/usr/bin', '/usr/local/bin']);
const isOld =
  node !== undefined && Number(/\d+/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[0]) < 26;
const launchers = [
  { by: 'npm run svc-worker', command: ['npm', 'run', '--silent', '--prefix', checkout, 'svc-worker', '--'], skip },
  {
    by: 'a Node that is too old to be replaced',
    command: [node ?? 'node', path.join(checkout, 'bin/svc-worker.js')],
    skip: skip || (isOld ? false : 'This machine has no older Node.'),
  },
];

/** A process and all that it started, and they. */
function processesFrom(pid: number): number[] {
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => processesFrom(Number(child))))];
}

const shownOf = (pid: number): string[] =>
  ['environ', 'cmdline'].filter((what) => fs.readFileSync(`/proc/${pid}/${what}`, 'latin1').includes(secret));

describe('the secrets of a worker', () => {
  for (const { by, command, skip } of launchers)
    it(`are shown by no process of ${by}`, { skip }, async () => {
      await using worker = await startWorker({ command, env: { SVC_WORKER_TOKEN: secret, SVC_PROXY_TOKEN: secret } });
      const chain = processesFrom(worker.process.pid ?? 0);
      assert.ok(chain.length > 1, 'the launcher waits beside the worker');
      assert.deepEqual(chain.flatMap(shownOf), []);
      const asked = await worker.post('/v1/executions/zzz/cancel', '', { authorization: `Bearer ${secret}` });
      assert.deepEqual([asked.status, worker.output().includes('warning')], [200, false]);
    });
});
