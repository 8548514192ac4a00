// The prompt of a cell, in a process of its own. Questions are answered one after another, each with what it printed.

import { createByteWindow } from '../byteWindow.ts';
import { type InspectAnswer, type Inspector, type Place, RuntimeUnavailable } from '../runtime.ts';
import { inspectSchema } from './messages.ts';
import { inspectOrder } from './orders.ts';
import type { Zygote } from './zygote.ts';

const PRINTED_BYTES = 64 * 1024;

export async function openInspectorIn(zygote: Zygote, place: Place, onEnded: () => void): Promise<Inspector> {
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>();
  let printed = createByteWindow(PRINTED_BYTES, PRINTED_BYTES);
  let waiting: ((answer: InspectAnswer) => void)[] = [];
  let end: string | undefined;

  function takePrinted(): string {
    const text = printed.text();
    printed = createByteWindow(PRINTED_BYTES, PRINTED_BYTES);
    return text;
  }

  const run = zygote.start(inspectOrder(place), {
    onBegun() {},
    onConsole: (_stream, bytes) => printed.push(bytes),
    onMessage(text) {
      waiting.shift()?.({ ...inspectSchema.parse(JSON.parse(text)), stdout: takePrinted() });
    },
    onResult() {},
    onEnded(ending) {
      end = ending.lost ?? 'its process has ended';
      const stdout = takePrinted();
      for (const answer of waiting) answer({ ok: false, error: `The prompt is gone: ${end}. Open it again.`, stdout });
      waiting = [];
      resolveEnded();
      onEnded();
    },
  });

  function next(): Promise<InspectAnswer> {
    if (end !== undefined) return Promise.resolve({ ok: false, error: `The prompt is gone: ${end}.`, stdout: '' });
    const { promise, resolve } = Promise.withResolvers<InspectAnswer>();
    waiting.push(resolve);
    return promise;
  }

  const opened = await next();
  if (!opened.ok) throw new RuntimeUnavailable(opened.error ?? 'The prompt could not be opened.');
  return {
    evaluate(expression) {
      const answer = next();
      run.say({ expr: expression });
      return answer;
    },
    async close() {
      run.stop();
      await ended;
    },
  };
}
