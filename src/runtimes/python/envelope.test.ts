import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReportReader, packOrder, type Report } from './envelope.ts';

function packReport(kind: number, run: number, payload: string): Buffer {
  const packed = packOrder('start', run, payload);
  packed.writeUInt8(kind, 4);
  return packed;
}

test('reports are read whole, however they are cut', () => {
  const sent = Buffer.concat([packReport(11, 7, '{"pid":1}'), packReport(12, 7, ''), packReport(13, 2 ** 32 - 1, 'ü')]);
  for (const size of [1, 2, 5, 9, 100]) {
    const reports: Report[] = [];
    const read = createReportReader((report) => reports.push(report));
    for (let at = 0; at < sent.length; at += size) read(sent.subarray(at, at + size));
    assert.deepEqual(
      reports.map(({ kind, run, payload }) => [kind, run, payload.toString()]),
      [
        ['begun', 7, '{"pid":1}'],
        ['stdout', 7, ''],
        ['stderr', 2 ** 32 - 1, 'ü'],
      ],
    );
  }
});

test('what is no report is refused', () => {
  const read = (bytes: Buffer) => () => createReportReader(() => {})(bytes);
  assert.throws(read(packReport(99, 1, '')), /unknown kind/);
  assert.throws(read(Buffer.from([1, 0, 0, 0, 11])), /unknown kind/);
  assert.throws(read(Buffer.from([255, 255, 255, 255])), /4294967295 bytes was announced/);
});
