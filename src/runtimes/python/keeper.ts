// A cell that stays for its widgets, in a process of its own: what people do with them is sent to it, and what came of that comes back.

import { type CommMessage, type Keeper, type KeptAnswer, type KeptJob, RuntimeUnavailable } from '../runtime.ts';
import { converse } from './conversation.ts';
import { keptSchema } from './messages.ts';
import { keepOrder } from './orders.ts';
import type { Zygote } from './zygote.ts';

export async function openKeeperIn(
  zygote: Zygote,
  job: KeptJob,
  signal: AbortSignal,
  onEnded: () => void,
): Promise<Keeper> {
  const reply = (text: string) => keptSchema.parse(JSON.parse(text));
  function greeting(text: string): void {
    const { ok, error } = reply(text);
    if (!ok) throw new RuntimeUnavailable(error ?? 'The cell could not be run.');
  }
  const conversation = await converse(zygote, keepOrder(job), { greeting, reply }, onEnded, signal);
  async function ask(message: object): Promise<KeptAnswer> {
    const answer = await conversation.ask(message);
    const { printed } = answer;
    return 'said' in answer ? { messages: answer.said.messages, printed } : { gone: answer.gone, printed };
  }
  return {
    state: () => ask({ ask: 'state' }),
    send: (messages: readonly CommMessage[]) => ask({ ask: 'hear', messages }),
    close: () => conversation.close(),
  };
}
