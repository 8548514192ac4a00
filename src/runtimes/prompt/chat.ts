// One question to a model over the OpenAI-compatible protocol, its answer as it comes; Anthropic's own protocol where a schema
// has to hold. A provider that does not know an extension is asked once more without it.
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { openUrl, retryAfterSeconds, type UrlAnswer } from '../../fetch/index.ts';
import {
  beginningOf,
  ChatFailed,
  failIfPacked,
  failOnEnding,
  type Message,
  type Question,
  quoted,
  type Reply,
  readChat,
  tokens,
  understood,
  wholeOf,
  wordsOf,
} from './answers.ts';
import { closed, isStrict, type JsonSchema } from './outputSchema.ts';

/** A provider that is busy says when to come back; one that means minutes is not waited for. */
const mostTries = 3;
const longestWaitSeconds = 30;

/** What a question may carry that not every provider, and not every model, takes. */
interface Extensions {
  /** JSON as the provider enforces it, and an answer that comes in pieces. */
  readonly structure: boolean;
  readonly temperature: boolean;
  readonly limit: 'max_tokens' | 'max_completion_tokens';
}

export async function ask(question: Question): Promise<Reply> {
  const isForced = question.provider.name === 'anthropic' && question.schema !== null;
  let extensions: Extensions = {
    structure: true,
    temperature: true,
    limit: question.provider.baseUrl.includes('openai') ? 'max_completion_tokens' : 'max_tokens',
  };
  for (;;) {
    const body = isForced ? forcedBody(question, extensions) : chatBody(question, extensions);
    const answer = await postPatiently(question, isForced ? '/messages' : '/chat/completions', body);
    if (answer.status < 400) {
      failIfPacked(question, answer);
      return isForced ? readForced(question, answer) : readChat(question, answer);
    }
    const reason = await beginningOf(answer.body);
    const fewer = answer.status === 400 || answer.status === 422 ? without(extensions, reason) : undefined;
    if (fewer === undefined) throw refused(question, answer.status, reason);
    if (!fewer.structure && extensions.structure)
      question.onNotice('The provider does not know structured answers; it is asked for plain JSON instead.');
    extensions = fewer;
  }
}

/** The same question without what was refused; undefined when the refusal is about something else. */
function without(extensions: Extensions, reason: string): Extensions | undefined {
  if (extensions.structure && /response_format|json_schema|json_object|stream_options/.test(reason))
    return { ...extensions, structure: false };
  if (extensions.temperature && /temperature/.test(reason)) return { ...extensions, temperature: false };
  if (extensions.limit === 'max_tokens' && /max_completion_tokens/.test(reason))
    return { ...extensions, limit: 'max_completion_tokens' };
  return undefined;
}

async function postPatiently(question: Question, path: string, body: object): Promise<UrlAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await post(question, path, body);
    const wait = [429, 503, 529].includes(answer.status) ? retryAfterSeconds(answer.headers['retry-after']) : undefined;
    if (tries === mostTries || wait === undefined || wait > longestWaitSeconds) return answer;
    question.onNotice(`The provider is busy (HTTP ${answer.status}); it is asked again in ${wait} s.`);
    answer.body.destroy();
    await pause(wait * 1000, undefined, { signal: question.signal });
  }
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

function chatBody(question: Question, extensions: Extensions): object {
  const { provider, messages, temperature, wantsJson, schema } = question;
  const hint = schema ? ` that fits this JSON Schema: ${JSON.stringify(schema)}` : '';
  const isAskedInWords = !extensions.structure && (wantsJson || schema !== null);
  const asked: Message[] = isAskedInWords ? [{ role: 'system', content: `Answer with bare JSON${hint}.` }] : [];
  const isOpenAi = provider.baseUrl.includes('openai');
  return {
    model: provider.model,
    messages: [...messages, ...asked],
    ...(extensions.temperature ? { temperature } : {}),
    [extensions.limit]: provider.maxTokens,
    ...(extensions.structure && (schema || wantsJson)
      ? { response_format: responseFormat(isOpenAi ? schema : null) }
      : {}),
    ...(extensions.structure ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function responseFormat(schema: JsonSchema | null): object {
  if (!schema) return { type: 'json_object' };
  return {
    type: 'json_schema',
    json_schema: { name: 'PromptResponse', schema: closed(schema), strict: isStrict(schema) },
  };
}

const refused = ({ provider }: Question, status: number, reason: string): ChatFailed =>
  new ChatFailed(
    `The provider answered HTTP ${status} for model '${provider.model}': ${quoted(provider, wordsOf(reason), 1000)}`,
  );

const messagesSchema = z.object({
  content: z.array(z.object({ type: z.string(), input: z.unknown().optional() })),
  stop_reason: z.string().nullish(),
  usage: z.object({ input_tokens: tokens, output_tokens: tokens }).nullish(),
});

/** Anthropic holds to a schema when the answer is the input of a tool that must be used. */
function forcedBody({ provider, messages, temperature, schema }: Question, extensions: Extensions): object {
  const system = messages.find(({ role }) => role === 'system')?.content;
  return {
    model: provider.model,
    max_tokens: provider.maxTokens,
    ...(extensions.temperature ? { temperature } : {}),
    ...(system === undefined ? {} : { system }),
    messages: messages.filter(({ role }) => role !== 'system'),
    tools: [{ name: 'respond', description: 'Give the answer.', input_schema: schema }],
    tool_choice: { type: 'tool', name: 'respond' },
  };
}

async function readForced(question: Question, { body }: UrlAnswer): Promise<Reply> {
  const { content, stop_reason, usage: used } = understood(question, await wholeOf(question, body), messagesSchema);
  const input = content.find(({ type }) => type === 'tool_use')?.input;
  const text = input === undefined ? '' : JSON.stringify(input);
  failOnEnding(question, stop_reason ?? 'tool_use', text, null);
  return { text, inputTokens: used?.input_tokens ?? 0, outputTokens: used?.output_tokens ?? 0 };
}
