// Why another user of the machine cannot run a program that is there: a folder on the way to it is closed.
import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** The first folder on the way to `file`, and to what it links to, that the user may not enter; undefined: the modes allow it. */
export function closedTo(user: { readonly uid: number; readonly gid: number }, file: string): string | undefined {
  return [path.resolve(file), realpathSync(file)].flatMap(foldersTo).find((folder) => {
    const { mode, uid, gid } = statSync(folder);
    const enter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    return (mode & enter) === 0;
  });
}

function foldersTo(file: string): string[] {
  const folder = path.dirname(file);
  return folder === file ? [] : [...foldersTo(folder), folder];
}
