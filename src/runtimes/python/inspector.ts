// The prompt of a cell, in a process of its own. Questions are answered one after another, each with what it printed.

import { type Inspector, type Place, RuntimeUnavailable } from '../runtime.ts';
import { converse } from './conversation.ts';
import { inspectSchema } from './messages.ts';
import { inspectOrder } from './orders.ts';
import type { Zygote } from './zygote.ts';

export async function openInspectorIn(zygote: Zygote, place: Place, onEnded: () => void): Promise<Inspector> {
  const reply = (text: string) => inspectSchema.parse(JSON.parse(text));
  function greeting(text: string): void {
    const { ok, error } = reply(text);
    if (!ok) throw new RuntimeUnavailable(error ?? 'The prompt could not be opened.');
  }
  const conversation = await converse(zygote, inspectOrder(place), { greeting, reply }, onEnded);
  return {
    async evaluate(expr) {
      const answer = await conversation.ask({ expr });
      const stdout = answer.printed;
      return 'said' in answer
        ? { ...answer.said, stdout }
        : { ok: false, error: `The prompt is gone: ${answer.gone}. Open it again.`, stdout };
    },
    close: () => conversation.close(),
  };
}
