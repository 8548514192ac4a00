// The operating system's user that runs cell code. Asked of the interpreter itself, because only it is sure to be there
// and knows every source of users that the machine has.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { RuntimeUnavailable } from '../runtime.ts';

export interface CellUser {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

const program = `
import json, pwd, sys
entry = pwd.getpwnam(sys.argv[1])
print(json.dumps({"uid": entry.pw_uid, "gid": entry.pw_gid, "home": entry.pw_dir}))
`;
const userSchema = z.object({ uid: z.int(), gid: z.int(), home: z.string() });
const run = promisify(execFile);

export async function findUser(interpreter: string, name: string): Promise<CellUser> {
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
