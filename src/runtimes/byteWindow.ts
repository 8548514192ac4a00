// The beginning and the end of a stream of bytes, within bounds; what lay between is counted and marked. Text is made
// only of what is kept, so that a hundred megabytes cost no more than their passage.

export interface ByteWindow {
  push(bytes: Buffer): void;
  /** All that is kept, as text, with a marker where something was left out. */
  text(): string;
}

export function createByteWindow(headBytes: number, tailBytes: number): ByteWindow {
  const head = createPieces();
  const tail = createPieces();
  let dropped = 0;

  return {
    push(bytes) {
      const toHead = bytes.subarray(0, headBytes - head.size);
      const toTail = bytes.subarray(toHead.length);
      if (toHead.length > 0) head.push(toHead);
      if (toTail.length > 0) tail.push(toTail);
      // Cutting costs a copy, so it waits until there is as much to drop as to keep.
      if (tail.size > 2 * tailBytes) dropped += tail.keepLast(tailBytes);
    },
    text() {
      dropped += tail.keepLast(tailBytes);
      if (dropped === 0) return Buffer.concat([head.joined(), tail.joined()]).toString('utf8');
      const start = withoutCutCharacter(head.joined()).toString('utf8');
      const end = tail.joined();
      return `${start}\n… ${dropped} bytes left out …\n${end.subarray(continuationBytes(end)).toString('utf8')}`;
    },
  };
}

/** Without the bytes at the end that begin a character but do not finish it. */
export function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** How many bytes at the start belong to a character that began before. */
function continuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && isContinuation(bytes[count])) count += 1;
  return count;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

interface Pieces {
  readonly size: number;
  push(bytes: Buffer): void;
  joined(): Buffer;
  /** Returns how many bytes were dropped at the start. */
  keepLast(count: number): number;
}

/** Above this many pieces they are joined: a small one costs more than its bytes, and may hold on to a large buffer. */
const MAX_PIECES = 256;

function createPieces(): Pieces {
  let pieces: Buffer[] = [];
  let size = 0;

  function joined(): Buffer {
    pieces = [Buffer.concat(pieces, size)];
    return pieces[0] ?? Buffer.alloc(0);
  }

  return {
    get size() {
      return size;
    },
    push(bytes) {
      pieces.push(bytes);
      size += bytes.length;
      if (pieces.length > MAX_PIECES) joined();
    },
    joined,
    keepLast(count) {
      const excess = size - count;
      if (excess <= 0) return 0;
      pieces = [Buffer.from(joined().subarray(excess))];
      size = count;
      return excess;
    },
  };
}
