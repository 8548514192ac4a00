// Reads an Arrow IPC stream as it passes by: checks that it is exactly one, counts its rows and keeps its schema. Bodies are
// skipped, so that nothing but one message's head is ever held.
import { ArrowInvalid } from './invalid.ts';
import { schemaText } from './schemaText.ts';

export interface ArrowFacts {
  readonly schema: string;
  readonly rowCount: number;
}

export interface ArrowScan {
  /** Throws `ArrowInvalid` as soon as it cannot be one stream. */
  push(piece: Uint8Array): void;
  finish(): Promise<ArrowFacts>;
}

const continuation = 0xffffffff;
const maxHeadBytes = 64 * 1024 * 1024;
const messageKinds = { schema: 1, dictionary: 2, records: 3 };

export function createArrowScan(): ArrowScan {
  let rows = 0;
  let schema: Uint8Array | undefined;
  let state: 'length' | 'head' | 'body' | 'ended' = 'length';
  /** Pieces of a length or head: put together once, when the last has come. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  let wanted = 4;
  let bodyLeft = 0;
  let trailing = 0;
  let continued = false;

  function onLength(bytes: Buffer): void {
    const value = bytes.readUInt32LE(0);
    if (value === continuation && !continued) {
      continued = true;
      return;
    }
    continued = false;
    if (value === 0) {
      state = 'ended';
      return;
    }
    if (value > maxHeadBytes) throw new ArrowInvalid('this is not an Arrow IPC stream');
    state = 'head';
    wanted = value;
  }

  function onHead(bytes: Buffer): void {
    const message = readMessage(bytes);
    if (message.kind === messageKinds.schema) {
      if (schema) throw new ArrowInvalid('a second schema (concatenated streams?)');
      schema = Buffer.from(bytes);
    } else if (!schema) throw new ArrowInvalid('the stream does not begin with a schema');
    if (message.kind === messageKinds.records) rows += message.rows;
    bodyLeft = message.bodyLength;
    state = bodyLeft > 0 ? 'body' : 'length';
    wanted = 4;
  }

  return {
    push(piece) {
      let bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      while (bytes.length > 0) {
        if (state === 'ended') {
          trailing += bytes.length;
          return;
        }
        if (state === 'body') {
          const skipped = Math.min(bodyLeft, bytes.length);
          bodyLeft -= skipped;
          bytes = bytes.subarray(skipped);
          if (bodyLeft === 0) state = 'length';
          continue;
        }
        const missing = wanted - heldBytes;
        if (bytes.length < missing) {
          held.push(Buffer.from(bytes)); // a copy: pieces of a body are given back
          heldBytes += bytes.length;
          return;
        }
        const whole =
          heldBytes === 0 ? bytes.subarray(0, missing) : Buffer.concat([...held, bytes.subarray(0, missing)]);
        bytes = bytes.subarray(missing);
        [held, heldBytes] = [[], 0];
        if (state === 'length') onLength(whole);
        else onHead(whole);
      }
    },
    async finish() {
      if (trailing > 0) throw new ArrowInvalid(`${trailing} trailing bytes after stream end (concatenated streams?)`);
      if (!schema) throw new ArrowInvalid('the stream has no schema');
      if (state === 'body' || state === 'head' || heldBytes > 0 || continued)
        throw new ArrowInvalid('the stream ends in the middle of a message');
      return { schema: await schemaText(schema), rowCount: rows };
    },
  };
}

interface Message {
  readonly kind: number;
  readonly rows: number;
  readonly bodyLength: number;
}

/** The few fields of a message's head that matter, read straight from its flatbuffer. */
function readMessage(bytes: Buffer): Message {
  try {
    const root = bytes.readInt32LE(0);
    const kindAt = fieldOf(bytes, root, 1);
    const headerAt = fieldOf(bytes, root, 2);
    const lengthAt = fieldOf(bytes, root, 3);
    const kind = kindAt === undefined ? 0 : bytes.readUInt8(kindAt);
    const bodyLength = lengthAt === undefined ? 0 : safe(bytes.readBigInt64LE(lengthAt));
    if (kind !== messageKinds.records || headerAt === undefined) return { kind, rows: 0, bodyLength };
    const rowsAt = fieldOf(bytes, headerAt + bytes.readInt32LE(headerAt), 0);
    return { kind, rows: rowsAt === undefined ? 0 : safe(bytes.readBigInt64LE(rowsAt)), bodyLength };
  } catch (error) {
    if (error instanceof ArrowInvalid) throw error;
    throw new ArrowInvalid('a message of the stream cannot be read');
  }
}

/** Where field `index` of the table at `table` lies; undefined when it has its default. */
function fieldOf(bytes: Buffer, table: number, index: number): number | undefined {
  const vtable = table - bytes.readInt32LE(table);
  const slot = 4 + index * 2;
  const offset = slot < bytes.readUInt16LE(vtable) ? bytes.readUInt16LE(vtable + slot) : 0;
  return offset === 0 ? undefined : table + offset;
}

function safe(value: bigint): number {
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new ArrowInvalid('a message has an impossible length');
  return Number(value);
}
