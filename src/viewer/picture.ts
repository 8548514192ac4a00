// A PNG as text: two pixels a character, the upper one as its colour and the lower one as its background. Terminals without
// colours get shades.
import { inflateRawSync } from 'node:zlib';
import { convertIndexedToRgb, type DecodedPng, decode } from 'fast-png';
import type { Line, Span } from './lines.ts';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

type Rgb = readonly [number, number, number];

const shades = ' ░▒▓█';
/** More would take the memory of the terminal's machine for a picture of a few thousand characters. */
const mostPixels = 40_000_000;

/** Null when the bytes are no PNG that can be read. */
export function pictureLines(
  png: Uint8Array,
  { width, height }: PictureSize,
  hasColours: boolean,
): readonly Line[] | null {
  const image = decoded(png);
  if (!image || image.width === 0 || image.height === 0) return null;
  const scale = Math.min(width / image.width, (height * 2) / image.height, 1);
  const columns = Math.max(1, Math.floor(image.width * scale));
  const rows = Math.max(1, Math.floor((image.height * scale) / 2));
  const at = averages(image, columns, rows * 2);
  return Array.from({ length: rows }, (_, row) =>
    merged(
      Array.from({ length: columns }, (_, column): Span => {
        const [upper, lower] = [at(column, row * 2), at(column, row * 2 + 1)];
        if (hasColours) return { text: '▀', colour: hex(upper), background: hex(lower) };
        return { text: shades[Math.round(((brightness(upper) + brightness(lower)) / 510) * 4)] ?? ' ' };
      }),
    ),
  );
}

/** Neighbours that look the same are one: pictures are mostly background. */
function merged(spans: readonly Span[]): Line {
  const line: Span[] = [];
  for (const span of spans) {
    const last = line.at(-1);
    if (last && last.colour === span.colour && last.background === span.background)
      line[line.length - 1] = { ...last, text: last.text + span.text };
    else line.push(span);
  }
  return line;
}

function decoded(png: Uint8Array): DecodedPng | null {
  try {
    const head = new DataView(png.buffer, png.byteOffset, png.byteLength);
    if (head.getUint32(16) * head.getUint32(20) > mostPixels) return null;
    const image = decode(withinItsSize(Buffer.from(png.buffer, png.byteOffset, png.byteLength)));
    if (!image.palette) return image.depth < 8 ? null : image;
    const channels = image.palette[0]?.length ?? 3;
    return { ...image, data: convertIndexedToRgb(image), channels, depth: 8 };
  } catch {
    return null;
  }
}

const drawing = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
const signatureBytes = 8;
const zlibHeadBytes = 2;

/** Only what draws it, as a whole; throws where it holds more than its width and height can show. */
function withinItsSize(png: Buffer): Buffer {
  const chunks: { type: string; bytes: Buffer; data: Buffer }[] = [];
  for (let at = signatureBytes; at < png.length; ) {
    const end = at + 12 + png.readUInt32BE(at);
    const bytes = png.subarray(at, end);
    chunks.push({ type: bytes.toString('latin1', 4, 8), bytes, data: bytes.subarray(8, -4) });
    at = end;
  }
  const header = chunks[0]?.data ?? Buffer.alloc(0);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  // Four channels of two bytes at most, a byte more a line, and lines of seven smaller pictures where it comes interlaced.
  const maxOutputLength = (width * 8 + 1) * height + 7 * (height + width) + 64;
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  // Without its sum, which some programs write wrongly and nobody else asks for.
  inflateRawSync(packed.subarray(zlibHeadBytes), { maxOutputLength });
  const kept = chunks.filter(({ type }) => drawing.has(type)).map(({ bytes }) => bytes);
  return Buffer.concat([png.subarray(0, signatureBytes), ...kept]);
}

/** The mean colour of the pixels behind each point of a coarser grid, on white where the picture lets through. */
function averages(image: DecodedPng, columns: number, rows: number): (column: number, row: number) => Rgb {
  const { width, height, channels, data, depth } = image;
  const full = 2 ** depth - 1;
  const isGray = channels < 3;
  const hasAlpha = channels === 2 || channels === 4;
  const pixel = (x: number, y: number): Rgb => {
    const base = (y * width + x) * channels;
    const value = (offset: number): number => ((data[base + offset] ?? 0) * 255) / full;
    const alpha = hasAlpha ? value(channels - 1) / 255 : 1;
    const over = (one: number): number => one * alpha + 255 * (1 - alpha);
    return isGray ? [over(value(0)), over(value(0)), over(value(0))] : [over(value(0)), over(value(1)), over(value(2))];
  };
  return (column, row) => {
    const [left, right] = rangeOf(column, columns, width);
    const [top, bottom] = rangeOf(row, rows, height);
    let [red, green, blue] = [0, 0, 0];
    for (let y = top; y < bottom; y += 1)
      for (let x = left; x < right; x += 1) {
        const [r, g, b] = pixel(x, y);
        [red, green, blue] = [red + r, green + g, blue + b];
      }
    const count = (bottom - top) * (right - left);
    return [red / count, green / count, blue / count];
  };
}

function rangeOf(index: number, count: number, size: number): readonly [number, number] {
  const from = Math.min(size - 1, Math.floor((index * size) / count));
  return [from, Math.max(from + 1, Math.floor(((index + 1) * size) / count))];
}

const brightness = ([red, green, blue]: Rgb): number => 0.299 * red + 0.587 * green + 0.114 * blue;

const hex = (colour: Rgb): `#${string}` =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
