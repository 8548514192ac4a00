import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createFrameReader, encodeFrame, FrameProblem, MAX_FRAME_BYTES } from './frames.ts';
import { misbehavingCommand } from './testing.ts';

function readAll(chunks: readonly Buffer[]): string[] {
  const texts: string[] = [];
  const read = createFrameReader((text) => texts.push(text));
  for (const chunk of chunks) read(chunk);
  return texts;
}

test('frames are read whole, however the bytes are cut', () => {
  const bytes = Buffer.concat([{ a: 1 }, { text: 'é\ud800' }, {}].map(encodeFrame));
  const expected = ['{"a":1}', '{"text":"é\\ud800"}', '{}'];
  assert.deepEqual(readAll([bytes]), expected);
  for (let at = 1; at < bytes.length; at += 1) {
    assert.deepEqual(readAll([bytes.subarray(0, at), bytes.subarray(at)]), expected);
  }
  assert.deepEqual(readAll([...bytes].map((byte) => Buffer.of(byte))), expected);
});

test('an oversized announcement is refused before a byte of it is held', () => {
  const header = Buffer.alloc(4);
  header.writeUInt32LE(MAX_FRAME_BYTES + 1);
  assert.throws(() => readAll([header]), FrameProblem);
});

test('the Python side ends with a reason when a frame above the limit is announced', async () => {
  const child = spawn(misbehavingCommand.command, misbehavingCommand.args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const requests = child.stdio[3];
  assert.ok(requests instanceof Writable && child.stderr);
  let written = '';
  child.stderr.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
  requests.write(Buffer.from([0xff, 0xff, 0xff, 0x7f]));
  const [code] = await once(child, 'close');
  assert.deepEqual(
    { code, written },
    {
      code: 1,
      written:
        'svc_engine: a frame of 2147483647 bytes was announced; the limit is 67108864; ' +
        'the stream cannot be trusted any more\n',
    },
  );
});
