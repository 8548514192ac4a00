// A prompt cell: asks until the answer fits its schema, or gives up and says why. What the model writes is told as it comes.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { type NetworkPolicy, UrlRefused, UrlUnreachable } from '../../fetch/index.ts';
import type { PromptEvent, RunResult, ValueRecord } from '../runtime.ts';
import { failedRun, succeededRun } from '../withoutProcess.ts';
import { ChatFailed, type Message } from './answers.ts';
import { ask } from './chat.ts';
import { checkAnswer, SchemaUnusable } from './checkAnswer.ts';
import { type JsonSchema, jsonIn } from './outputSchema.ts';
import { keyVariables, type ModelUsage, type Provider } from './provider.ts';

export interface Prompt {
  readonly provider: Provider;
  readonly text: string;
  readonly system: string | null;
  readonly temperature: number;
  readonly output: 'text' | 'json';
  readonly schema: JsonSchema | null;
  readonly attempts: number;
  /** The one variable that holds the answer. */
  readonly variable: string;
  readonly outputDir: string;
  /** Names of values that the prompt could not show. */
  readonly opaque: readonly string[];
  readonly policy: NetworkPolicy;
  /** Told of each answer of the model, whether or not it was of use. */
  readonly onUsage?: ((usage: ModelUsage) => void) | undefined;
}

interface Answer {
  readonly text: string;
  readonly value: unknown;
  readonly retries: number;
  readonly tokens: { readonly input: number; readonly output: number };
}

export async function runPrompt(
  prompt: Prompt,
  onEvent: (event: PromptEvent) => void,
  signal: AbortSignal,
): Promise<RunResult> {
  const began = performance.now();
  const failed = (type: string, message: string): RunResult =>
    failedRun(type, message, { executionMethod: 'llm', durationMs: performance.now() - began });
  if (prompt.text.trim() === '') return failed('EmptyPrompt', 'The prompt is empty: write what to ask.');
  if (prompt.provider.apiKey === null) return failed('NoApiKey', noKey);
  const limit = AbortSignal.timeout(prompt.provider.timeoutSeconds * 1000);
  try {
    const answer = await converse(prompt, onEvent, AbortSignal.any([signal, limit]));
    return await keep(prompt, answer, performance.now() - began);
  } catch (error) {
    if (signal.aborted) return { ...failed('Cancelled', 'Cancelled before it finished'), outcome: 'cancelled' };
    if (limit.aborted)
      return failed('PromptTimeout', `The model did not answer within ${prompt.provider.timeoutSeconds} seconds.`);
    if (error instanceof SchemaUnusable) return failed(error.name, error.message);
    if (error instanceof ChatFailed || error instanceof UrlRefused || error instanceof UrlUnreachable)
      return failed(error.name, `LLM call failed: ${error.message}`);
    throw error;
  }
}

const noKey = `There is no key to ask a model with: set one of ${keyVariables.join(', ')} in the notebook's environment, or api_key under [ai] in notebook.toml.`;

async function converse(
  { provider, text, system, temperature, output, schema, attempts, policy, onUsage }: Prompt,
  onEvent: (event: PromptEvent) => void,
  signal: AbortSignal,
): Promise<Answer> {
  // Nobody is asked for what could not be checked.
  if (schema) await checkAnswer(schema, null, signal);
  const messages: Message[] = [
    ...(system === null ? [] : [{ role: 'system', content: system } as const]),
    { role: 'user', content: text },
  ];
  const tokens = { input: 0, output: 0 };
  for (let attempt = 1; ; attempt += 1) {
    const tell = (kind: PromptEvent['kind'], piece: string): void =>
      onEvent({ type: 'delta', kind, attempt, text: piece });
    const reply = await ask({
      provider,
      messages,
      temperature,
      wantsJson: output === 'json',
      schema,
      policy,
      signal,
      onText: (piece) => tell('delta', piece),
      onNotice: (notice) => tell('notice', notice),
    });
    onUsage?.({ model: provider.model, inputTokens: reply.inputTokens, outputTokens: reply.outputTokens });
    tokens.input += reply.inputTokens;
    tokens.output += reply.outputTokens;
    const checked = schema ? await checkAnswer(schema, reply.text, signal) : lenient(output, reply.text);
    if ('value' in checked) return { text: reply.text, value: checked.value, retries: attempt - 1, tokens };
    const { problems } = checked;
    if (attempt >= attempts) {
      const first = problems.slice(0, 3).join('; ');
      throw new ChatFailed(`the answer did not fit its schema after ${attempts} attempts: ${first}`);
    }
    onEvent({ type: 'delta', kind: 'retry', attempt: attempt + 1, text: problems[0] ?? '' });
    const list = problems.map((problem) => `- ${problem}`).join('\n');
    messages.push(
      { role: 'assistant', content: reply.text },
      { role: 'user', content: `That answer does not fit the schema:\n${list}\nAnswer again with JSON that fits.` },
    );
  }
}

/** Without a schema any answer will do; one that should be JSON is read as such where it can be. */
const lenient = (output: Prompt['output'], text: string): { readonly value: unknown } =>
  (output === 'json' ? jsonIn(text) : undefined) ?? { value: text };

async function keep(prompt: Prompt, { text, value, retries, tokens }: Answer, durationMs: number): Promise<RunResult> {
  const json = JSON.stringify(value, null, 2);
  const preview = typeof value === 'string' ? value.slice(0, 4000) : json.slice(0, 500);
  const record = { content_type: 'json/object', ...(await written(prompt, 'answer.json', json)), preview };
  const markdown = typeof value === 'string' ? value : `\`\`\`json\n${json}\n\`\`\``;
  const notes = [
    ...(prompt.opaque.length === 0
      ? []
      : [`Not shown to the model, being Python objects: ${prompt.opaque.join(', ')}`]),
    `Model: ${prompt.provider.model} | Tokens: ${tokens.input}→${tokens.output}${retries === 0 ? '' : ` | Validation retries: ${retries}`}`,
  ];
  const display: ValueRecord = text.includes('\n')
    ? {
        content_type: 'text/markdown',
        ...(await written(prompt, 'answer.md', markdown)),
        markdown_text: markdown,
        scalar: text,
      }
    : { ...record, markdown_text: null, scalar: text };
  return succeededRun({
    executionMethod: 'llm',
    variables: { [prompt.variable]: record },
    displays: [display],
    stderr: `${notes.join('\n')}\n`,
    durationMs,
    validationRetries: retries,
  });
}

async function written({ outputDir }: Prompt, file: string, text: string): Promise<StoredFile> {
  await fs.writeFile(path.join(outputDir, file), text);
  return { file, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}

interface StoredFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}
