// Tar archives as streams: plain files packed one after the other, and read back the same way. Only what bundles need: ustar
// with extended headers for long names and large files; links and devices are told as what they are and never followed.
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';

export interface TarEntry {
  readonly name: string;
  /** Bytes, or the path of a file that is read when its turn comes. */
  readonly content: Uint8Array | string;
}

export interface TarMember {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  /** Whoever asks for the next member is done with this one. */
  readonly body: AsyncIterable<Uint8Array>;
}

export class TarInvalid extends Error {
  override name = 'TarInvalid';
}

const block = 512;
const maxNameBytes = 4096;
/** Of one file, before its own: archives have two or three. */
const maxHeaders = 16;
const maxOctalSize = 8 ** 11;

export async function* packTar(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for (const { name, content } of entries) {
    const size = typeof content === 'string' ? (await fs.stat(content)).size : content.length;
    yield* headersOf(name, size);
    if (typeof content === 'string') yield* exactly(content, size);
    else if (size > 0) yield content;
    yield padding(size);
  }
  yield Buffer.alloc(2 * block);
}

/** A file that changes while it is read must not shift what follows it. */
async function* exactly(file: string, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  if (size > 0)
    for await (const piece of createReadStream(file, { end: size - 1 })) {
      left -= piece.length;
      yield piece;
    }
  if (left !== 0) throw new TarInvalid(`${file} became shorter while it was read`);
}

function* headersOf(name: string, size: number): Generator<Uint8Array> {
  const [prefix, rest] = split(name) ?? [];
  const records = [
    ...(rest === undefined ? [['path', name] as const] : []),
    ...(size >= maxOctalSize ? [['size', String(size)] as const] : []),
  ];
  if (records.length > 0) {
    const text = Buffer.concat(records.map(([key, value]) => paxRecord(key, value)));
    yield header('././@PaxHeader', '', text.length, 'x');
    yield text;
    yield padding(text.length);
  }
  yield header(rest ?? 'long-name', prefix ?? '', size >= maxOctalSize ? 0 : size, '0');
}

/** Its two halves in a plain header; undefined when it does not fit there. */
function split(name: string): [string, string] | undefined {
  if (!/^[\x20-\x7e]*$/.test(name)) return undefined;
  if (name.length <= 100) return ['', name];
  const at = name.indexOf('/', name.length - 101);
  return at > 0 && at <= 155 ? [name.slice(0, at), name.slice(at + 1)] : undefined;
}

function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function header(name: string, prefix: string, size: number, type: string): Uint8Array {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;
  bytes.write(name, 0);
  bytes.write(`${octal(0o644, 8)}${octal(0, 8)}${octal(0, 8)}${octal(size, 12)}${octal(0, 12)}        ${type}`, 100);
  bytes.write('ustar\x0000', 257);
  bytes.write(prefix, 345);
  bytes.write(`${octal(checksum(bytes), 7)} `, 148);
  return bytes;
}

const checksum = (bytes: Uint8Array): number =>
  bytes.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);

const padding = (size: number): Uint8Array => Buffer.alloc((block - (size % block)) % block);

/** What follows the archive is not read: the source ends with it, or with the reader that stops early. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const pieces = source[Symbol.asyncIterator]();
  try {
    yield* membersOf(reader(pieces));
  } finally {
    await pieces.return?.();
  }
}

/** What the file system will not have by this name, or beside what is there. */
export const isUnplaceable = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && unplaceable.has(error.code);
const unplaceable = new Set<unknown>(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);

async function* membersOf(take: ReturnType<typeof reader>): AsyncGenerator<TarMember> {
  let extended: Readonly<Record<string, string>> = {};
  let headers = 0;
  for (;;) {
    const head = await take.whole(block);
    if (head.every((byte) => byte === 0)) return;
    if (Number.parseInt(head.toString('latin1', 148, 156), 8) !== checksum(head))
      throw new TarInvalid('it is not a tar archive, or damaged');
    const type = String.fromCharCode(head[156] ?? 0);
    const written = sizeOf(head);
    if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
      if (written > maxNameBytes) throw new TarInvalid('a name in it is too long');
      headers += 1;
      if (headers > maxHeaders) throw new TarInvalid(`a file in it has more than ${maxHeaders} headers`);
      const text = await take.whole(written);
      await take.whole((block - (written % block)) % block);
      if (type === 'x') extended = { ...extended, ...paxRecords(text) };
      if (type === 'L') extended = { ...extended, path: textOf(text) };
      continue;
    }
    const size = extended.size === undefined ? written : Number(extended.size);
    if (!Number.isSafeInteger(size) || size < 0) throw new TarInvalid('a size in it is no number');
    const body = take.pieces(size);
    yield { name: extended.path ?? nameOf(head), kind: kindOf(type), size, body };
    for await (const _unread of body);
    await take.whole((block - (size % block)) % block);
    extended = {};
    headers = 0;
  }
}

const kindOf = (type: string): TarMember['kind'] =>
  type === '0' || type === '\0' ? 'file' : type === '5' ? 'directory' : 'other';

const textOf = (bytes: Buffer): string => {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
};

function nameOf(head: Buffer): string {
  const prefix = head.toString('latin1', 257, 262) === 'ustar' ? textOf(head.subarray(345, 500)) : '';
  const name = textOf(head.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Octal text, or for large files the number itself behind a mark. */
function sizeOf(head: Buffer): number {
  if (((head[124] ?? 0) & 0x80) !== 0) return Number(head.readBigUInt64BE(128));
  const text = textOf(head.subarray(124, 136)).trim();
  if (!/^[0-7]*$/.test(text)) throw new TarInvalid('a size in it is no number');
  return Number.parseInt(text || '0', 8);
}

function paxRecords(text: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < text.length; ) {
    const space = text.indexOf(' ', at);
    const length = Number(text.toString('latin1', at, space));
    if (space < 0 || !Number.isSafeInteger(length) || length <= space - at)
      throw new TarInvalid('an extended header is damaged');
    const [, key = '', value = ''] = /^([^=]*)=([\s\S]*)\n$/.exec(text.toString('utf8', space + 1, at + length)) ?? [];
    if (key === 'path' || key === 'size') records[key] = value;
    at += length;
  }
  return records;
}

function reader(pieces: AsyncIterator<Uint8Array>) {
  let held: Buffer = Buffer.alloc(0);

  async function some(most: number): Promise<Buffer> {
    while (held.length === 0) {
      const next = await pieces.next();
      if (next.done) throw new TarInvalid('it ends in the middle');
      held = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    const taken = held.subarray(0, most);
    held = held.subarray(taken.length);
    return taken;
  }

  async function* exact(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      const piece = await some(left);
      left -= piece.length;
      yield piece;
    }
  }

  return {
    pieces: exact,
    whole: async (size: number): Promise<Buffer> => Buffer.concat(await Array.fromAsync(exact(size))),
  };
}
