// One question to a model over the OpenAI-compatible protocol, its answer as it comes; Anthropic's own protocol where a schema
// has to hold. A provider that does not know an extension is asked once more without it.
import { z } from 'zod';
import { hiding } from '../../errors/index.ts';
import { type NetworkPolicy, openUrl, shownUrl, type UrlAnswer } from '../../fetch/index.ts';
import { closed, isStrict, type JsonSchema } from './outputSchema.ts';
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

export async function ask(question: Question): Promise<Reply> {
  if (question.provider.name === 'anthropic' && question.schema) return askForced(question, question.schema);
  const answer = await post(question, '/chat/completions', chatBody(question));
  if (answer.status < 400) return readChat(question, answer);
  const reason = await beginningOf(answer.body);
  if (!isAboutExtensions(answer.status, reason)) throw refused(question, answer.status, reason);
  question.onNotice('The provider does not know structured answers; it is asked for plain JSON instead.');
  const plain = await post(question, '/chat/completions', plainBody(question));
  if (plain.status >= 400) throw refused(question, plain.status, await beginningOf(plain.body));
  return readChat(question, plain);
}

function post({ provider, policy, signal }: Question, path: string, body: object): Promise<UrlAnswer> {
  const key = provider.apiKey ?? '';
  const own = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  return openUrl(`${provider.baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(path === '/messages' ? own : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    policy: provider.isChosen ? policy : { publicOnly: false, allowedHosts: [] },
    signal,
  });
}

function plainBody({ provider, messages, temperature, wantsJson, schema }: Question): object {
  const hint = schema ? ` that fits this JSON Schema: ${JSON.stringify(schema)}` : '';
  const asked: Message[] = wantsJson || schema ? [{ role: 'system', content: `Answer with bare JSON${hint}.` }] : [];
  const limit = provider.baseUrl.includes('openai') ? 'max_completion_tokens' : 'max_tokens';
  return { model: provider.model, messages: [...messages, ...asked], temperature, [limit]: provider.maxTokens };
}

function chatBody(question: Question): object {
  const { provider, messages, temperature, wantsJson, schema } = question;
  const isOpenAi = provider.baseUrl.includes('openai');
  return {
    model: provider.model,
    messages,
    temperature,
    [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: provider.maxTokens,
    ...(schema || wantsJson ? { response_format: responseFormat(isOpenAi ? schema : null) } : {}),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function responseFormat(schema: JsonSchema | null): object {
  if (!schema) return { type: 'json_object' };
  return {
    type: 'json_schema',
    json_schema: { name: 'PromptResponse', schema: closed(schema), strict: isStrict(schema) },
  };
}

const isAboutExtensions = (status: number, reason: string): boolean =>
  (status === 400 || status === 422) && /response_format|json_schema|json_object|stream_options/.test(reason);

const refused = ({ provider }: Question, status: number, reason: string): ChatFailed =>
  new ChatFailed(
    `The provider answered HTTP ${status} for model '${provider.model}': ${quoted(provider, reason, 1000)}`,
  );

/** Of what the provider said, as much as is worth telling, without the key it was sent. */
const quoted = ({ apiKey }: Provider, text: string, length: number): string =>
  hiding([apiKey ?? ''])(text).slice(0, length);

const usage = z.object({ prompt_tokens: z.number().default(0), completion_tokens: z.number().default(0) }).nullish();
const chunkSchema = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }).nullish() })).default([]),
  usage,
});
const wholeSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
  usage,
});

async function readChat(question: Question, { headers, body }: UrlAnswer): Promise<Reply> {
  if (headers['content-type']?.includes('text/event-stream')) return readStream(question, body);
  const { choices, usage: used } = understood(question, await wholeOf(question, body), wholeSchema);
  const text = choices[0]?.message.content ?? '';
  question.onText(text);
  return { text, inputTokens: used?.prompt_tokens ?? 0, outputTokens: used?.completion_tokens ?? 0 };
}

async function readStream(question: Question, body: AsyncIterable<Buffer>): Promise<Reply> {
  let text = '';
  let inputTokens = 0;
  let outputTokens = 0;
  for await (const data of serverEvents(question, body)) {
    if (data === '[DONE]') break;
    const { choices, usage: used } = understood(question, data, chunkSchema);
    const piece = choices[0]?.delta?.content ?? '';
    if (piece !== '') question.onText(piece);
    text += piece;
    if (text.length > mostCharacters) throw tooLong(question);
    inputTokens = used?.prompt_tokens ?? inputTokens;
    outputTokens = used?.completion_tokens ?? outputTokens;
  }
  return { text, inputTokens, outputTokens };
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

async function wholeOf(question: Question, body: AsyncIterable<Buffer>): Promise<string> {
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
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > 64 * 1024) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

const messagesSchema = z.object({
  content: z.array(z.object({ type: z.string(), input: z.unknown().optional() })),
  usage: z.object({ input_tokens: z.number().default(0), output_tokens: z.number().default(0) }).nullish(),
});

/** Anthropic holds to a schema when the answer is the input of a tool that must be used. */
async function askForced(question: Question, schema: JsonSchema): Promise<Reply> {
  const { provider, messages, temperature } = question;
  const system = messages.find(({ role }) => role === 'system')?.content;
  const answer = await post(question, '/messages', {
    model: provider.model,
    max_tokens: provider.maxTokens,
    temperature,
    ...(system === undefined ? {} : { system }),
    messages: messages.filter(({ role }) => role !== 'system'),
    tools: [{ name: 'respond', description: 'Give the answer.', input_schema: schema }],
    tool_choice: { type: 'tool', name: 'respond' },
  });
  if (answer.status >= 400) throw refused(question, answer.status, await beginningOf(answer.body));
  const raw = await wholeOf(question, answer.body);
  const { content, usage: used } = understood(question, raw, messagesSchema);
  const input = content.find(({ type }) => type === 'tool_use')?.input;
  const text = JSON.stringify(input ?? null);
  return { text, inputTokens: used?.input_tokens ?? 0, outputTokens: used?.output_tokens ?? 0 };
}

function understood<T>({ provider }: Question, text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new ChatFailed(
      `What ${shownUrl(provider.baseUrl)} answered is not understood: ${quoted(provider, text, 200)}`,
    );
  }
}
