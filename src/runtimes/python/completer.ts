// A process that knows what the values of a notebook and the packages of its environment offer to somebody who types.

import { z } from 'zod';
import type { Completer, Place, TypingTools } from '../runtime.ts';
import { converse } from './conversation.ts';
import { completeOrder, questionOrder } from './orders.ts';
import type { Zygote } from './zygote.ts';

const answerSchema = z.object({
  items: z.array(z.object({ label: z.string(), kind: z.string() })).default([]),
  from: z.int().default(0),
  truncated: z.boolean().default(false),
  signature: z.string().nullable().default(null),
  text: z.string().default(''),
});

export async function openCompleterIn(
  zygote: Zygote,
  place: Place,
  tools: TypingTools,
  onEnded: () => void,
): Promise<Completer> {
  const reply = (text: string) => answerSchema.parse(JSON.parse(text));
  const conversation = await converse(zygote, completeOrder(place, tools), { greeting: () => {}, reply }, onEnded);
  return {
    async ask(question) {
      const answer = await conversation.ask(questionOrder(question));
      return 'said' in answer ? answer.said : undefined;
    },
    isOver: () => conversation.isOver(),
    close: () => conversation.close(),
  };
}
