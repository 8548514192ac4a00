// Multipart bodies as they arrive: one part after the other, each a stream of pieces. Nothing is kept beyond what might be
// the beginning of a boundary.
import { refusals } from '../errors/index.ts';

export interface Part {
  readonly name: string;
  /** Undefined for a plain form field. */
  readonly filename: string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

const maxHeaderBytes = 16 * 1024;

export const isMultipart = (contentType: string | undefined): boolean =>
  contentType?.toLowerCase().includes('multipart/form-data') ?? false;

/** Whoever asks for the next part is done with the one before; what was not read of it is passed over. */
export async function* readMultipart(source: AsyncIterable<Buffer>, contentType: string): AsyncGenerator<Part> {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) throw refusals.multipartInvalid('the content type names no boundary');
  const delimiter = Buffer.from(`\r\n--${mark}`);
  const pieces = source[Symbol.asyncIterator]();
  // The first boundary has no line before it.
  let held: Buffer = Buffer.from('\r\n');

  async function more(): Promise<void> {
    // A piece may be worth nothing once the next is asked for.
    const before = Buffer.from(held);
    const next = await pieces.next();
    if (next.done) throw refusals.multipartInvalid('the body ends before its last boundary');
    held = before.length === 0 ? next.value : Buffer.concat([before, next.value]);
  }

  async function* untilDelimiter(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = held.indexOf(delimiter);
      if (at >= 0) {
        const last = held.subarray(0, at);
        held = held.subarray(at + delimiter.length);
        if (last.length > 0) yield last;
        return;
      }
      const doubtful = held.indexOf('\r', Math.max(0, held.length - delimiter.length + 1));
      const certain = doubtful < 0 ? held : held.subarray(0, doubtful);
      held = doubtful < 0 ? Buffer.alloc(0) : held.subarray(doubtful);
      if (certain.length > 0) yield certain;
      await more();
    }
  }

  async function until(end: string): Promise<string> {
    for (;;) {
      const at = held.indexOf(end);
      if (at >= 0) {
        const text = held.subarray(0, at).toString();
        held = held.subarray(at + end.length);
        return text;
      }
      if (held.length > maxHeaderBytes) throw refusals.multipartInvalid('the headers of a part are too long');
      await more();
    }
  }

  for await (const _preamble of untilDelimiter());
  for (;;) {
    while (held.length < 2) await more();
    if (held.subarray(0, 2).equals(Buffer.from('--'))) return;
    // A boundary ends with its line, the headers with an empty one.
    const headers = await until('\r\n\r\n');
    const body = untilDelimiter();
    yield { ...nameOf(headers), body };
    for await (const _unread of body);
  }
}

function nameOf(headers: string): { name: string; filename: string | undefined } {
  const disposition = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? '';
  const name =
    /[;\s]name="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1] ?? /[;\s]name=([^;"\s]+)/i.exec(disposition)?.[1];
  if (name === undefined) throw refusals.multipartInvalid('a part has no name');
  const filename =
    /[;\s]filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1] ??
    /[;\s]filename\*?=([^;"\s]+)/i.exec(disposition)?.[1];
  return { name, filename };
}

/** A small part as text; `tooLarge` is thrown as soon as it is. */
export async function readSmall(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: (limit: number) => Error,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces).toString();
}
