// What a command works on: a notebook directory in this process, the same directory through a server that has it open, or a
// session of a server that was named.
import fs from 'node:fs';
import path from 'node:path';
import { createDesk, createRemoteDesk, type Desk } from '../../desk/index.ts';
import { notebookFileName, readClaim } from '../../notebook/index.ts';
import { UsageError } from '../failure.ts';
import { openHere } from './here.ts';

export interface TargetOptions {
  readonly server?: string | undefined;
  readonly session?: string | undefined;
  readonly author?: string | undefined;
  /** False with `--no-sync`; a server looks after environments itself. */
  readonly sync?: boolean | undefined;
}

export interface Target {
  readonly desk: Desk;
  readonly author: string;
  /** False for a server, which looks after environments itself. */
  readonly isHere: boolean;
  close(): Promise<void>;
}

const noTarget = 'name a notebook directory, or --server with --session';

export async function openTarget(directory: string | undefined, options: TargetOptions): Promise<Target> {
  const author = options.author ?? 'cli';
  if (options.server !== undefined || options.session !== undefined) {
    if (options.server === undefined || options.session === undefined)
      throw new UsageError('--server and --session go together');
    return remote(options.server, options.session, author);
  }
  if (directory === undefined) throw new UsageError(noTarget);
  const place = notebookIn(directory);
  const holder = await heldBy(place);
  if (holder) return remote(holder.server, holder.session, author);
  const offline = await openHere();
  try {
    const session = await offline.open(place, { sync: options.sync ?? true });
    return { desk: createDesk(session, () => {}), author, isHere: true, close: offline.close };
  } catch (error) {
    await offline.close();
    throw error;
  }
}

/** The session of the server that has a notebook open; undefined when nobody has. */
export async function heldBy(place: string): Promise<{ server: string; session: string } | undefined> {
  const claim = await readClaim(place);
  if (!claim || claim.pid === process.pid) return undefined;
  if (claim.server === null)
    throw new UsageError(`process ${claim.pid} has this notebook open; wait for it, or end it`);
  if (await isGone(claim.server, claim.session_id))
    throw new UsageError(
      `the server at ${claim.server} is putting this notebook away, or holds it still for a copy; try again when it is released`,
    );
  return { server: claim.server, session: claim.session_id };
}

/** Whether a server says that it has no such session. Whatever else is wrong is told by the request that follows. */
async function isGone(server: string, session: string): Promise<boolean> {
  const asked = fetch(`${server}/v1/notebooks/sessions/${session}`, { headers: serverHeaders() });
  return asked.then(
    async (answer) => {
      await answer.body?.cancel();
      return answer.status === 404;
    },
    () => false,
  );
}

export const deskAt = ({ server, session }: { server: string; session: string }): Desk =>
  createRemoteDesk({ server, session, headers: serverHeaders() });

function remote(server: string, session: string, author: string): Target {
  return { desk: deskAt({ server, session }), author, isHere: false, close: async () => {} };
}

/** Who we are to a server that asks. */
export function serverHeaders(): Readonly<Record<string, string>> {
  const token = process.env.SVC_API_KEY;
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** The checked directory of a notebook. */
export function notebookIn(directory: string): string {
  const place = path.resolve(directory);
  if (!fs.existsSync(path.join(place, notebookFileName)))
    throw new UsageError(`${place} is not a notebook directory: it has no ${notebookFileName}`);
  return place;
}
