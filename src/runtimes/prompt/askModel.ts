// One conversation with a model that is no cell: the answer as it comes, or why there is none, in words.
import { UrlRefused, UrlUnreachable } from '../../fetch/index.ts';
import { ChatFailed, type Question, type Reply } from './answers.ts';
import { ask } from './chat.ts';

export type Asked = Omit<Question, 'temperature' | 'wantsJson' | 'schema'>;

/** Undefined where whoever asked wants no answer any more. */
export async function askModel(question: Asked): Promise<Reply | { readonly problem: string } | undefined> {
  const { provider, signal } = question;
  const limit = AbortSignal.timeout(provider.timeoutSeconds * 1000);
  try {
    const wanted = { temperature: 0, wantsJson: false, schema: null };
    return await ask({ ...question, ...wanted, signal: AbortSignal.any([signal, limit]) });
  } catch (error) {
    if (signal.aborted) return undefined;
    if (limit.aborted)
      return { problem: `The model did not answer within ${provider.timeoutSeconds} seconds; ask again.` };
    if (error instanceof ChatFailed || error instanceof UrlRefused || error instanceof UrlUnreachable)
      return { problem: error.message };
    throw error;
  }
}
