// Cell code under another user, and what it sees of the server's environment.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startCells } from './kit/cells.ts';
import { bareInterpreter } from './kit/notebookEnvironment.ts';

const report = `
import os, getpass
print(os.getuid(), os.getgid(), os.getgroups(), os.environ['USER'])
open(os.path.expanduser('~/mine'), 'w').write('at home')
open('here', 'w').write('at work')
x = 1
`;

test('cells run as the user they are given to', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('Only root may run cells as somebody else.');
  const interpreter = [await bareInterpreter(), '/usr/bin/python3'].find(othersMayRead);
  if (interpreter === undefined) return t.skip('Other users can reach no Python on this machine.');
  const home = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-home-')), 'home');
  fs.chmodSync(path.dirname(home), 0o755);
  await using cells = startCells(interpreter, { user: { name: 'nobody', interpreter, home } });
  fs.chmodSync(cells.folder, 0o755);
  const { stdout, error, variables } = await cells.run(report, { wanted: ['x'] });
  assert.equal(error, null);
  assert.match(stdout, /^65534 65534 \[(?:65534)?\] nobody\n$/);
  assert.equal(variables.x?.file, 'x.json');
  return undefined;
});

test('a user that does not exist is named', async () => {
  const interpreter = await bareInterpreter();
  await using cells = startCells(interpreter, { user: { name: 'nobody-of-that-name', interpreter, home: null } });
  await assert.rejects(cells.run('1'), /Cells are to run as 'nobody-of-that-name', and .* does not find that user/);
});

test('a folder that the user may not enter is named', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('Only root may run cells as somebody else.');
  const closed = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-closed-'));
  const interpreter = path.join(closed, 'python');
  fs.symlinkSync(await bareInterpreter(), interpreter);
  await using cells = startCells(interpreter, {
    user: { name: 'nobody', interpreter, home: path.join(closed, 'home') },
  });
  const { error } = await cells.run('1');
  assert.equal(
    error?.message,
    `The notebook's Python did not see the cell through: ${interpreter} could not be run (spawn ${interpreter} EACCES): ` +
      `the user of cells (SVC_NOTEBOOK_HARNESS_USER, uid 65534) may not enter ${closed}. Open it to that user (chmod o+x), ` +
      'or keep notebooks where others may go (SVC_NOTEBOOK_STORAGE_DIR). The cell has no result and was not run again.',
  );
  return undefined;
});

test('a cell sees what the policy lets through, and the job adds to it', async () => {
  const variables = { ...process.env, SVC_SECRET_SETTING: 's', OTHER: 'o', WANTED: 'w' };
  await using cells = startCells(await bareInterpreter(), { policy: { variables, allowlist: ['WANTED'] } });
  const { stdout } = await cells.run(
    "import os\nprint(*[os.environ.get(n) for n in ['SVC_SECRET_SETTING', 'OTHER', 'WANTED', 'MINE']])",
    { env: { MINE: 'm' } },
  );
  assert.equal(stdout, 'None None w m\n');
});

/** Whether the way to the file is open to everybody. */
function othersMayRead(file: string): boolean {
  if (!fs.existsSync(file)) return false;
  const parts = fs.realpathSync(file).split('/').slice(1, -1);
  return parts.every((_, depth) => (fs.statSync(`/${parts.slice(0, depth + 1).join('/')}`).mode & 0o001) !== 0);
}
