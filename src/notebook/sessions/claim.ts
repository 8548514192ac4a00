// Who has a notebook open: a note in its runtime directory, so that another program on this machine works through that server
// instead of writing beside it. A note whose process is gone means nothing.
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { isRunning, readOwnFile } from '../../files/index.ts';
import { errorCode } from '../storage/paths.ts';

const claimSchema = z.object({ pid: z.int().positive(), server: z.string().nullable(), session_id: z.string() });
export type Claim = z.infer<typeof claimSchema>;

const fileOf = (directory: string): string => path.join(directory, '.svc/open.json');

export async function writeClaim(directory: string, claim: Claim): Promise<void> {
  // Not with its parents: a notebook that is being deleted must not come back.
  await fs.mkdir(path.dirname(fileOf(directory))).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  // What stands there may be a pipe, or lead elsewhere.
  await fs.rm(fileOf(directory), { force: true });
  await fs.writeFile(fileOf(directory), JSON.stringify(claim), { flag: 'wx' });
}

export async function dropClaim(directory: string, sessionId: string): Promise<void> {
  const claim = await readClaim(directory);
  if (claim?.session_id === sessionId) await fs.rm(fileOf(directory), { force: true });
}

/** Undefined when nobody has it open. */
export async function readClaim(directory: string): Promise<Claim | undefined> {
  try {
    const claim = claimSchema.parse(JSON.parse(String(await readOwnFile(fileOf(directory)))));
    return isRunning(claim.pid) ? claim : undefined;
  } catch {
    return undefined;
  }
}
