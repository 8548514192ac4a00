// What passes between the server and a zygote: four bytes of length, one byte of kind, four bytes of run, payload. The
// twin of `python/svc_runtime/envelope.py`. Console bytes travel as they are; every other payload is JSON.

import { createBodyReader, FrameProblem } from '../../pipes/index.ts';

const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;
const AFTER_LENGTH_BYTES = 5;

const toZygote = { start: 1, say: 2, stop: 3, startAfresh: 4, spares: 5, grow: 6, letGo: 7, kin: 8, rest: 9 } as const;

export type OrderKind = keyof typeof toZygote;
export type ReportKind =
  | 'ready'
  | 'begun'
  | 'stdout'
  | 'stderr'
  | 'message'
  | 'result'
  | 'ended'
  | 'loading'
  | 'unfit'
  | 'importing';

const fromZygote: ReadonlyMap<number, ReportKind> = new Map([
  [10, 'ready'],
  [11, 'begun'],
  [12, 'stdout'],
  [13, 'stderr'],
  [14, 'message'],
  [15, 'result'],
  [16, 'ended'],
  [17, 'loading'],
  [18, 'unfit'],
  [19, 'importing'],
]);

export interface Report {
  readonly kind: ReportKind;
  readonly run: number;
  readonly payload: Buffer;
}

export function packOrder(kind: OrderKind, run: number, payload = ''): Buffer {
  const length = Buffer.byteLength(payload);
  if (length > MAX_PAYLOAD_BYTES) {
    throw new FrameProblem(`the job takes ${length} bytes and the limit is ${MAX_PAYLOAD_BYTES}`);
  }
  const packed = Buffer.allocUnsafe(4 + AFTER_LENGTH_BYTES + length);
  packed.writeUInt32LE(length + AFTER_LENGTH_BYTES, 0);
  packed.writeUInt8(toZygote[kind], 4);
  packed.writeUInt32LE(run, 5);
  packed.write(payload, 9);
  return packed;
}

export function createReportReader(onReport: (report: Report) => void): (chunk: Buffer) => void {
  return createBodyReader(MAX_PAYLOAD_BYTES + AFTER_LENGTH_BYTES, (body) => {
    const kind = body.length < AFTER_LENGTH_BYTES ? undefined : fromZygote.get(body.readUInt8(0));
    if (kind === undefined) throw new FrameProblem('a report of an unknown kind arrived');
    onReport({ kind, run: body.readUInt32LE(1), payload: body.subarray(AFTER_LENGTH_BYTES) });
  });
}
