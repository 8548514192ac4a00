// Folders that another user of the machine gets from the server, and that come back to it. Whoever writes to a folder can put links
// there at any moment, and what the server then reads, gives away or removes by a path lies elsewhere. So a folder is the server's own
// before anything in it is looked at: from then on nobody else puts anything in its place.
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Makes a folder and all that lies in it the user's own, unless it is already. What is no folder is left as it is. */
export async function giveTo(user: Owner, folder: string): Promise<void> {
  const found = await fs.lstat(folder);
  if (!found.isDirectory() || found.uid === user.uid) return;
  await giveAll(user, folder);
}

/** The folder itself comes last, so that nobody writes there meanwhile. */
async function giveAll(user: Owner, folder: string): Promise<void> {
  const mode = await close(folder);
  for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) await giveAll(user, place);
    else await fs.lchown(place, user.uid, user.gid);
  }
  await fs.chmod(folder, mode);
  await fs.lchown(folder, user.uid, user.gid);
}

/** Makes a folder and those in it the server's own; files stay whose they are. The folder around it has to be the server's. */
export async function takeBack(folder: string): Promise<void> {
  await close(folder);
  for (const entry of await fs.readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await takeBack(path.join(folder, entry.name));
}

/** Removes a folder that others may write to. */
export async function removeLent(folder: string): Promise<void> {
  // Only root lends folders. What is gone or a link has nothing in it to be taken.
  if (process.getuid?.() === 0) await takeBack(folder).catch(() => {});
  await fs.rm(folder, { recursive: true, force: true });
}

/** From now on nobody else changes what lies in it; gives how it was open to them. Refuses a link. */
async function close(folder: string): Promise<number> {
  const handle = await fs.open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { mode } = await handle.stat();
    await handle.chown(process.geteuid?.() ?? 0, process.getegid?.() ?? 0);
    await handle.chmod((mode & 0o755) | 0o700);
    return mode & 0o7777;
  } finally {
    await handle.close();
  }
}
