// Who has a notebook open: a note in its runtime directory, so that another program on this machine works through that server
// instead of writing beside it. A note whose process is gone means nothing.
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { isRunning, readOwnJson } from '../../files/index.ts';
import { errorCode } from '../storage/index.ts';
import type { Holds } from './holds.ts';

const claimSchema = z.object({ pid: z.int().positive(), server: z.string().nullable(), session_id: z.string() });
export type Claim = z.infer<typeof claimSchema>;

const maxClaimBytes = 16 * 1024;
const fileOf = (directory: string): string => path.join(directory, '.svc/open.json');

async function writeClaim(directory: string, claim: Claim): Promise<void> {
  // Not with its parents: a notebook that is being deleted must not come back.
  await fs.mkdir(path.dirname(fileOf(directory))).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  // What stands there may be a pipe, or lead elsewhere.
  await fs.rm(fileOf(directory), { force: true });
  await fs.writeFile(fileOf(directory), JSON.stringify(claim), { flag: 'wx', mode: 0o600 });
}

export interface ClaimKeeper {
  /** Notes the session to come to; while the notebook is held still, as soon as it is free. */
  keep(): Promise<void>;
  /** Takes the note away, unless it is somebody else's. */
  drop(): Promise<void>;
}

export interface ClaimKeeperParts {
  readonly directory: string;
  /** Where this process serves; null when it does not. */
  readonly server: () => string | null;
  readonly holds: Pick<Holds, 'over' | 'free'>;
  /** The session to come to; undefined once the notebook is closed. */
  readonly session: () => string | undefined;
}

export function createClaimKeeper({ directory, server, holds, session }: ClaimKeeperParts): ClaimKeeper {
  let noted: string | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** One after another: people come and go at the same time. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };

  async function write(): Promise<void> {
    const sessionId = session();
    if (sessionId === undefined || sessionId === noted) return;
    // Whoever has it open in another process keeps the claim: this one only looks.
    const claim = await readClaim(directory);
    if (claim && claim.pid !== process.pid) return;
    noted = sessionId;
    await writeClaim(directory, { pid: process.pid, server: server(), session_id: sessionId });
  }

  return {
    async keep() {
      if (holds.over(directory)) void holds.free(directory).then(() => inTurn(write).catch(() => {}));
      else await inTurn(write);
    },
    drop: () =>
      inTurn(async () => {
        const claim = await readClaim(directory);
        if (claim && claim.session_id === noted) await fs.rm(fileOf(directory), { force: true });
      }),
  };
}

/** Undefined when nobody has it open. */
export async function readClaim(directory: string): Promise<Claim | undefined> {
  try {
    const claim = claimSchema.parse(await readOwnJson(fileOf(directory), maxClaimBytes));
    return isRunning(claim.pid) ? claim : undefined;
  } catch {
    return undefined;
  }
}
