// What a model answers, as it comes or as a whole. An answer that the provider did not bring to its end is a failure with its
// reason, never a result.
import { z } from 'zod';
import { hiding } from '../../errors/index.ts';
import { type NetworkPolicy, shownUrl, type UrlAnswer } from '../../fetch/index.ts';
import type { JsonSchema } from './outputSchema.ts';
import type { Provider } from './provider.ts';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface Question {
  readonly provider: Provider;
  readonly messages: readonly Message[];
  readonly temperature: number;
  readonly wantsJson: boolean;
  readonly schema: JsonSchema | null;
  readonly policy: NetworkPolicy;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
  readonly onNotice: (text: string) => void;
}

export interface Reply {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The provider refused, or answered what cannot be understood. */
export class ChatFailed extends Error {
  override name = 'ChatFailed';
}

/** More than any model writes: who sends more wants to fill this server's memory. */
const mostCharacters = 8 * 1024 ** 2;

const tooLong = ({ provider }: Question): ChatFailed =>
  new ChatFailed(`${shownUrl(provider.baseUrl)} answered more than ${mostCharacters} characters.`);

/** Of what the provider said, as much as is worth telling, without the key it was sent. */
export const quoted = ({ apiKey }: Provider, text: string, length: number): string =>
  hiding([apiKey ?? ''])(text).slice(0, length);

const told = z.object({ message: z.string() });
const refusal = z
  .object({
    error: z.union([z.string(), told]).optional(),
    message: z.string().optional(),
    detail: z.string().optional(),
  })
  .transform(({ error, message, detail }) =>
    typeof error === 'object' ? error.message : (error ?? message ?? detail),
  );

/** Of a refusal what it says to people: its message, or the words of a page that stands between. */
export function wordsOf(reason: string): string {
  if (/^\s*</.test(reason))
    return reason
      .slice(0, 4000)
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  try {
    return refusal.parse(JSON.parse(reason)) ?? reason;
  } catch {
    return reason;
  }
}

/** Who counts none, or nonsense, has answered all the same. */
export const tokens = z.number().nonnegative().catch(0);
const usage = z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish();
/** Why the model stopped: `stop` where it was done. */
const finish_reason = z.string().nullish();
const said = z.object({ content: z.string().nullish(), refusal: z.string().nullish() });
const error = z.union([z.string(), z.looseObject({})]).nullish();
const chunkSchema = z.object({
  choices: z.array(z.object({ delta: said.nullish(), finish_reason })).default([]),
  usage,
  error,
});
const wholeSchema = z.object({
  choices: z.array(z.object({ message: said, finish_reason })).default([]),
  usage,
  error,
});

/** It was asked to send its bytes as they are. */
export function failIfPacked({ provider }: Question, { headers, body }: UrlAnswer): void {
  const packing = headers['content-encoding'] ?? 'identity';
  if (packing === 'identity') return;
  body.destroy();
  throw new ChatFailed(`${shownUrl(provider.baseUrl)} answered with bytes that are packed (${packing}).`);
}

export async function readChat(question: Question, { headers, body: bytes }: UrlAnswer): Promise<Reply> {
  const body = whileItLasts(question, bytes);
  if (headers['content-type']?.includes('text/event-stream')) return readStream(question, body);
  const answer = understood(question, await wholeOf(question, body), wholeSchema);
  failOnError(question, answer.error);
  const [choice] = answer.choices;
  const text = choice?.message.content ?? '';
  failOnEnding(question, choice?.finish_reason ?? 'stop', text, choice?.message.refusal);
  question.onText(text);
  const { prompt_tokens = 0, completion_tokens = 0 } = answer.usage ?? {};
  return { text, inputTokens: prompt_tokens, outputTokens: completion_tokens };
}

async function readStream(question: Question, body: AsyncIterable<Buffer>): Promise<Reply> {
  let text = '';
  let refusal = '';
  let inputTokens = 0;
  let outputTokens = 0;
  /** Null until the provider says that the answer is whole. */
  let ending: string | null = null;
  for await (const data of serverEvents(question, body)) {
    if (data === '[DONE]') {
      ending ??= 'stop';
      break;
    }
    const { choices, usage: used, error: problem } = understood(question, data, chunkSchema);
    failOnError(question, problem);
    const piece = choices[0]?.delta?.content ?? '';
    if (piece !== '') question.onText(piece);
    text += piece;
    refusal += choices[0]?.delta?.refusal ?? '';
    if (text.length + refusal.length > mostCharacters) throw tooLong(question);
    ending = choices[0]?.finish_reason ?? ending;
    inputTokens = used?.prompt_tokens ?? inputTokens;
    outputTokens = used?.completion_tokens ?? outputTokens;
  }
  failOnEnding(question, ending, text, refusal);
  return { text, inputTokens, outputTokens };
}

/** Some providers say only in the middle of a stream, or under a status of success, that they failed. */
function failOnError({ provider }: Question, problem: z.infer<typeof error>): void {
  if (problem === null || problem === undefined) return;
  const said = typeof problem === 'string' ? problem : problem.message;
  const reason = typeof said === 'string' ? said : JSON.stringify(problem);
  throw new ChatFailed(`The provider failed while it answered: ${quoted(provider, reason, 1000)}`);
}

/** What providers and the programs behind them say of an answer that is not whole. */
const cutOff = /^(length|model_length|max_tokens|max_output_tokens)$/i;
const withheld = /^(content_filter|refusal|safety|recitation|blocklist|prohibited_content|spii)$/i;
const endedEarly = /^(error|abort|aborted|cancelled|canceled|timeout|insufficient_system_resource)$/i;

/** Throws unless the answer is whole. */
export function failOnEnding(
  { provider }: Question,
  ending: string | null,
  text: string,
  refusal: string | null | undefined,
): void {
  const { model, maxTokens } = provider;
  if (ending === null) throw new ChatFailed(`The answer of '${model}' broke off before its end; try again.`);
  if (cutOff.test(ending))
    throw new ChatFailed(
      `The answer of '${model}' was cut off at ${maxTokens} tokens: allow more with # @max_tokens, or with max_output_tokens under [ai].`,
    );
  if (refusal) throw new ChatFailed(`The model '${model}' refused: ${quoted(provider, refusal, 1000)}`);
  if (endedEarly.test(ending))
    throw new ChatFailed(`The provider ended the answer of '${model}' early (${ending}); try again.`);
  if (withheld.test(ending))
    throw new ChatFailed(`The provider withheld the answer of '${model}' (${ending}): ask for something else.`);
  if (text.trim() === '') throw new ChatFailed(`The model '${model}' answered nothing; try again.`);
}

/** A connection that breaks is the provider's failure, like an answer without its end. */
async function* whileItLasts({ provider, signal }: Question, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (problem) {
    signal.throwIfAborted();
    const reason = problem instanceof Error ? problem.message : String(problem);
    throw new ChatFailed(`The answer of '${provider.model}' broke off: ${reason}; try again.`);
  }
}

/** The data of server-sent events. */
async function* serverEvents(question: Question, body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let length = 0;
  for await (const bytes of body) {
    const [end = '', ...lines] = decoder.decode(bytes, { stream: true }).split('\n');
    rest.push(end);
    length += end.length;
    if (length > mostCharacters) throw tooLong(question);
    if (lines.length === 0) continue;
    const last = lines.pop() ?? '';
    for (const line of [rest.join(''), ...lines]) if (line.startsWith('data:')) yield line.slice(5).trim();
    [rest, length] = [[last], last.length];
  }
  const left = rest.join('');
  if (left.startsWith('data:')) yield left.slice(5).trim();
}

export async function wholeOf(question: Question, body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostCharacters) throw tooLong(question);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** As much of a refusal as is ever told. */
export async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > 64 * 1024) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function understood<T>({ provider }: Question, text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new ChatFailed(
      `What ${shownUrl(provider.baseUrl)} answered is not understood: ${quoted(provider, text, 200)}`,
    );
  }
}
