// The thread behind `hashBeside.ts`: reads files as they grow and sums them up.
import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { HashOrder, HashReply } from './hashBeside.ts';

interface Reading {
  readonly descriptor: number;
  readonly hash: Hash;
  at: number;
}

const readings = new Map<number, Reading>();
const buffer = Buffer.allocUnsafeSlow(256 * 1024);

parentPort?.on('message', (order: HashOrder) => {
  try {
    const sha256 = follow(order);
    if (sha256 !== undefined) parentPort?.postMessage({ id: order.id, sha256 } satisfies HashReply);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    parentPort?.postMessage({ id: order.id, error: reason } satisfies HashReply);
  }
});

/** Gives the digest when the file is whole. */
function follow({ id, file, length, then }: HashOrder): string | undefined {
  const reading = readings.get(id) ?? { descriptor: openSync(file, 'r'), hash: createHash('sha256'), at: 0 };
  readings.set(id, reading);
  if (then !== 'drop') readUpTo(reading, length);
  if (then === 'more') return undefined;
  readings.delete(id);
  closeSync(reading.descriptor);
  return then === 'drop' ? undefined : reading.hash.digest('hex');
}

function readUpTo(reading: Reading, length: number): void {
  while (reading.at < length) {
    const count = readSync(reading.descriptor, buffer, 0, Math.min(buffer.length, length - reading.at), reading.at);
    if (count === 0) throw new Error('The file is shorter than what was written to it.');
    reading.hash.update(buffer.subarray(0, count));
    reading.at += count;
  }
}
