// Folders that another user of the machine gets from the server.
import fs from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder and all that lies in it the user's own, unless it is already: then others write there, and may put links in
 * the way. Links are not followed; the folder itself comes last, so that nobody writes there meanwhile. What is no folder is
 * left as it is.
 */
export async function giveTo(user: { readonly uid: number; readonly gid: number }, folder: string): Promise<void> {
  const found = await fs.lstat(folder);
  if (!found.isDirectory() || found.uid === user.uid) return;
  await giveAll(user, folder);
}

async function giveAll(user: { readonly uid: number; readonly gid: number }, folder: string): Promise<void> {
  for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) await giveAll(user, place);
    else await fs.lchown(place, user.uid, user.gid);
  }
  await fs.lchown(folder, user.uid, user.gid);
}
