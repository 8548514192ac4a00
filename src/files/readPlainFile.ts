// Reads a file that others may have put there. Opening a pipe would wait for somebody to write into it, in one of the few
// threads that all files are read with; a file without end would fill the memory.
import { constants, lstatSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';

/** No source, notebook file or lock file is near this. */
export const maxPlainBytes = 16 * 1024 * 1024;

/** Neither a plain file nor a folder, or one too large. A folder fails as for any reader, with EISDIR. */
export class NotPlainFile extends Error {
  readonly code: string;

  constructor(code: 'not a plain file' | `more than ${number} MiB`) {
    super(code);
    this.code = code;
  }
}

/** Flags with which opening never waits, whatever lies there. */
export const readWithoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;
const asOwn = readWithoutWaiting | constants.O_NOFOLLOW;

/** The same for a file that the service wrote itself: a link that stands there now leads somewhere else, and is refused. */
export const readOwnFile = (file: string, most = maxPlainBytes): Promise<Buffer> => read(file, asOwn, most);

export const readPlainFile = (file: string): Promise<Buffer> => read(file, readWithoutWaiting, maxPlainBytes);

/** One that the service wrote itself, however large, to be read as it is sent. Whoever has the handle closes it. */
export async function openOwnFile(file: string): Promise<FileHandle> {
  const handle = await opened(file, asOwn);
  try {
    if (!(await handle.stat()).isFile()) throw new NotPlainFile('not a plain file');
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const opened = (file: string, flags: number): Promise<FileHandle> =>
  fs.open(file, flags).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' ? new NotPlainFile('not a plain file') : error;
  });

async function read(file: string, flags: number, most: number): Promise<Buffer> {
  const handle = await opened(file, flags);
  try {
    return await readWhole(handle, await sizeOf(handle, most));
  } finally {
    // Nothing that its closing could lose: nobody waits for it.
    void handle.close().catch(() => {});
  }
}

/** As `handle.readFile()` does, without asking for the size a second time: an open notebook is hundreds of such files. */
async function readWhole(handle: FileHandle, size: number): Promise<Buffer> {
  // What says that it holds nothing may be made while it is read.
  if (size === 0) return handle.readFile();
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Neither a link nor anything that reading would wait for. */
export const isPlainFile = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false;

async function sizeOf(handle: FileHandle, most: number): Promise<number> {
  const found = await handle.stat();
  if (!found.isFile() && !found.isDirectory()) throw new NotPlainFile('not a plain file');
  if (found.isFile() && found.size > most) throw new NotPlainFile(`more than ${most / 1024 ** 2} MiB`);
  return found.size;
}
