// A server whose cells run as another user, with a way to the notebook and to an interpreter that they can reach.
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from './parts.ts';
import { newHome, startServer, type TestServer } from './server.ts';

const hasUser = process.getuid?.() === 0 && findProgram('python3', ['/usr/bin']) !== undefined;

/** Why it cannot be tried here; false where it can. */
export const withoutOther = hasUser
  ? false
  : 'Only root may run cells as somebody else, with a Python that they can reach.';

export function startForOther(env: Record<string, string>): Promise<TestServer> {
  const home = newHome();
  fs.chmodSync(home, 0o755);
  fs.mkdirSync(path.join(home, 'tmp'));
  fs.chmodSync(path.join(home, 'tmp'), 0o1777);
  return startServer({
    home,
    env: {
      // An interpreter that belongs to the machine and not to whoever runs the tests.
      PATH: '/usr/bin:/bin',
      PYENV_ROOT: '',
      TMPDIR: path.join(home, 'tmp'),
      SVC_NOTEBOOK_PYTHON_VERSIONS: '3.11',
      SVC_NOTEBOOK_HARNESS_USER: 'nobody',
      ...env,
    },
  });
}
