// The operating system's user that runs cell code. Asked of a Python, because that is sure to be there and knows every source
// of users that the machine has.
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { giveTo } from '../files/index.ts';
import { RuntimeUnavailable } from './runtime.ts';

export interface CellUser {
  readonly uid: number;
  readonly gid: number;
  /** What its processes find in their environment: who they are, and a home that is there. */
  readonly env: Readonly<Record<string, string>>;
}

const program = `
import json, pwd, sys
entry = pwd.getpwnam(sys.argv[1])
print(json.dumps({"uid": entry.pw_uid, "gid": entry.pw_gid, "home": entry.pw_dir}))
`;
const userSchema = z.object({ uid: z.int(), gid: z.int(), home: z.string() });
const run = promisify(execFile);

export interface FindUser {
  readonly name: string;
  /** A Python of this machine. */
  readonly interpreter: string;
  /** Becomes the home of a user that has none; null where nothing needs one. Its parent belongs to the server. */
  readonly home: string | null;
}

export async function findUser({ name, interpreter, home }: FindUser): Promise<CellUser> {
  const { uid, gid, home: own } = await ask(interpreter, name);
  const isHome = await fs.stat(own).then(
    (found) => found.isDirectory() && found.uid === uid,
    () => false,
  );
  if (isHome || home === null) return { uid, gid, env: { HOME: own, USER: name, LOGNAME: name } };
  await makeHome(home, { uid, gid });
  return { uid, gid, env: { HOME: home, USER: name, LOGNAME: name } };
}

async function makeHome(home: string, user: { uid: number; gid: number }): Promise<void> {
  await fs.mkdir(path.dirname(home), { recursive: true });
  await fs.mkdir(home, { mode: 0o700 }).catch(() => {});
  await giveTo(user, home);
}

async function ask(interpreter: string, name: string): Promise<z.infer<typeof userSchema>> {
  try {
    const { stdout } = await run(interpreter, ['-I', '-S', '-c', program, name]);
    return userSchema.parse(JSON.parse(stdout));
  } catch (problem) {
    throw new RuntimeUnavailable(
      `Cells are to run as '${name}', and ${interpreter} does not find that user. ` +
        'Create the user or correct SVC_NOTEBOOK_HARNESS_USER.',
      { cause: problem },
    );
  }
}
