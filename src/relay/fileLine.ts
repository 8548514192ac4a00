// A connection through files of a shared file system: each side appends to files of its own and reads those of the other.
// Names are made before the other side is told of them, and every write closes its file and every look opens it: that is what
// network file systems promise to show. They may show a file longer than what has arrived of it, so that pieces carry sums.
import fs from 'node:fs/promises';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { crc32 } from 'node:zlib';

export interface LineEnds {
  /** Files are called so, with `.0`, `.1`, … behind; the first is there already. */
  readonly reads: string;
  readonly writes: string;
}

/** Of a piece: what it is, its length, its sum. Zeros are bytes that have not arrived. */
const headBytes = 9;
const [data, goesOn, over] = [1, 2, 3];
const maxPieceBytes = 2 ** 20;
const maxLookBytes = 4 * maxPieceBytes;
/** Whoever has read a file removes it, and not much lies about unread. */
const fileBytes = 16 * 2 ** 20;
const mostFiles = 4;
const shortestPause = 2;

/** `longestPause`: how many milliseconds a side that hears nothing waits before it looks again. */
export function openFileLine({ reads, writes }: LineEnds, longestPause: number): Duplex {
  const ends = { read: { file: 0, at: 0 }, write: { file: 0, at: 0 } };
  let wake = (): void => {};
  let quiet = shortestPause;
  let hasRoom = true;
  let isOver = false;

  const line = new Duplex({
    writableHighWaterMark: maxPieceBytes,
    read() {
      hasRoom = true;
      wake();
    },
    writev(chunks, callback) {
      const bytes = Buffer.concat(chunks.map(({ chunk }) => chunk));
      append(pieces(bytes)).then(() => {
        callback();
        // An answer may come soon.
        quiet = shortestPause;
        wake();
      }, callback);
    },
    final(callback) {
      append([piece(over, Buffer.alloc(0))]).then(() => callback(), callback);
    },
    destroy(error, callback) {
      isOver = true;
      wake();
      // The other side is told, if it is still there; what it wrote is not read any more.
      Promise.allSettled([append([piece(over, Buffer.alloc(0))]), removeAll(reads)]).then(() => callback(error));
    },
  });

  async function append(all: Iterable<Buffer>): Promise<void> {
    const { write } = ends;
    if (write.at > fileBytes) {
      await fs.writeFile(`${writes}.${write.file + 1}`, '', { flag: 'wx', mode: 0o600 });
      await appendBytes(`${writes}.${write.file}`, piece(goesOn, Buffer.alloc(0)));
      ends.write = { file: write.file + 1, at: 0 };
      await untilRead(`${writes}.${write.file + 1 - mostFiles}`);
    }
    const bytes = Buffer.concat([...all]);
    await appendBytes(`${writes}.${ends.write.file}`, bytes);
    ends.write.at += bytes.length;
  }

  async function untilRead(file: string): Promise<void> {
    while (!isOver && (await isThere(file))) await paused(longestPause);
  }

  const paused = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** Gives on what has come; whether anything has. */
  async function readNew(): Promise<boolean> {
    const { read } = ends;
    const bytes = await bytesFrom(`${reads}.${read.file}`, read.at);
    let at = 0;
    for (const one of piecesIn(bytes)) {
      at += headBytes + one.bytes.length;
      if (one.kind === data) hasRoom = line.push(one.bytes) && hasRoom;
      else if (one.kind === goesOn) {
        ends.read = { file: read.file + 1, at: 0 };
        await fs.rm(`${reads}.${read.file}`, { force: true });
        return true;
      } else {
        isOver = true;
        line.push(null);
        return true;
      }
    }
    read.at += at;
    return at > 0;
  }

  async function follow(): Promise<void> {
    while (!isOver) {
      if (!hasRoom) {
        await paused(longestPause);
        continue;
      }
      const hasCome = await readNew();
      quiet = hasCome ? shortestPause : Math.min(quiet * 2, longestPause);
      if (!isOver && !hasCome) await paused(quiet);
    }
  }

  follow().catch((error: unknown) => line.destroy(error instanceof Error ? error : new Error(String(error))));
  return line;
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += maxPieceBytes) yield piece(data, bytes.subarray(at, at + maxPieceBytes));
}

function piece(kind: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(kind);
  head.writeUInt32BE(bytes.length, 1);
  head.writeUInt32BE(crc32(bytes), 5);
  return Buffer.concat([head, bytes]);
}

/** As far as they have arrived. */
function* piecesIn(bytes: Buffer): Generator<{ kind: number; bytes: Buffer }> {
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const kind = bytes.readUInt8(at);
    const end = at + headBytes + bytes.readUInt32BE(at + 1);
    const body = bytes.subarray(at + headBytes, end);
    if (kind === 0 || end > bytes.length || crc32(body) !== bytes.readUInt32BE(at + 5)) return;
    yield { kind, bytes: body };
    at = end;
  }
}

/** What a file holds from there, or as much as is taken at a time. */
export async function bytesFrom(file: string, at: number): Promise<Buffer> {
  const handle = await fs.open(file, 'r');
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.allocUnsafe(Math.min(Math.max(size - at, 0), maxLookBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function appendBytes(file: string, bytes: Buffer): Promise<void> {
  // Where it is gone, nobody reads any more: it is not made again.
  const handle = await fs.open(file, fs.constants.O_WRONLY | fs.constants.O_APPEND);
  try {
    for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
  } finally {
    await handle.close();
  }
}

async function removeAll(base: string): Promise<void> {
  const folder = path.dirname(base);
  for (const name of await fs.readdir(folder))
    if (name.startsWith(`${path.basename(base)}.`)) await fs.rm(path.join(folder, name), { force: true });
}

async function isThere(file: string): Promise<boolean> {
  const handle = await fs.open(file, 'r').catch(() => undefined);
  await handle?.close();
  return handle !== undefined;
}
