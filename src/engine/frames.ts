// Frames on a pipe: four bytes of length, little-endian, then that many bytes of strict JSON in UTF-8. The twin of
// `python/svc_engine/frames.py`. Both sides refuse a frame above MAX_FRAME_BYTES before they hold it in memory, and
// what JSON cannot say (NaN, Infinity) is refused rather than turned into null. Integers beyond 2^53 travel as strings.

import { createBodyReader, FrameProblem } from '../pipes/index.ts';

export { FrameProblem };

export const MAX_FRAME_BYTES = 64 * 1024 * 1024;

const HEADER_BYTES = 4;

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function encodeFrame(message: JsonObject): Buffer {
  const text = JSON.stringify(message, refuseWhatJsonLacks);
  const length = Buffer.byteLength(text);
  if (length > MAX_FRAME_BYTES) {
    throw new FrameProblem(`it takes ${length} bytes and the limit is ${MAX_FRAME_BYTES}: send less at once`);
  }
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  frame.writeUInt32LE(length);
  frame.write(text, HEADER_BYTES);
  return frame;
}

function refuseWhatJsonLacks(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new FrameProblem(`${key} is ${value}, which JSON cannot carry`);
  }
  return value;
}

/** Takes chunks as they come and hands over the text of each whole frame; throws FrameProblem on an oversized one. */
export function createFrameReader(onFrame: (text: string) => void): (chunk: Buffer) => void {
  return createBodyReader(MAX_FRAME_BYTES, (body) => onFrame(body.toString('utf8')));
}
