// Help from a model: with whom a notebook would speak, what would be sent, and the answer. Nothing here changes a cell.
import { usualLanguage } from '../../cellLanguages.ts';
import type { RenderedPrompt, TemplateInputs } from '../../engine/index.ts';
import { refusals } from '../../errors/index.ts';
import type { NetworkPolicy } from '../../fetch/index.ts';
import type { AssistEvent, AssistPreviewBody, AssistRequest } from '../../protocol/index.ts';
import { type AiOffer, chooseProvider, type ModelUsage, type Provider } from '../../runtimes/index.ts';
import { cellOf } from '../document/index.ts';
import { envFor, type LookedAt, namesInWords, valuesInWords, withoutSecrets } from './context.ts';
import { continuationIn, messagesFor, type Proposal, proposalIn, type Said, withCursor } from './messages.ts';

export interface ModelAccess {
  readonly render: (template: string, inputs: TemplateInputs) => Promise<RenderedPrompt>;
  /** What the server offers to notebooks that say nothing themselves. */
  readonly offer: AiOffer;
  readonly policy: NetworkPolicy;
}

export interface Assistance {
  readonly onEvent: (event: AssistEvent) => void;
  readonly onUsage: (usage: ModelUsage) => void;
  readonly signal: AbortSignal;
}

const unnamed = { model: null, maxTokens: null };

/** Whom the notebook would ask; undefined where it has no key for anybody. */
export function modelFor(access: ModelAccess, live: LookedAt, cellId: string | null): Provider | undefined {
  const provider = chooseProvider(live.notebook().ai, envFor(live, cellId), access.offer, unnamed);
  return provider.apiKey === null ? undefined : provider;
}

export const hostOf = ({ baseUrl }: Provider): string => new URL(baseUrl).host;

/** Exactly what a question would send. */
export async function previewAssist(
  access: ModelAccess,
  live: LookedAt,
  request: AssistRequest,
): Promise<AssistPreviewBody> {
  const { provider, messages } = await questionOf(access, live, request);
  return { model: provider.model, host: hostOf(provider), messages };
}

export async function assist(
  access: ModelAccess,
  live: LookedAt,
  request: AssistRequest,
  { signal }: Pick<Assistance, 'signal'>,
): Promise<(assistance: Omit<Assistance, 'signal'>) => Promise<void>> {
  const { provider, messages } = await questionOf(access, live, request);
  return async ({ onEvent, onUsage }) => {
    const { askModel } = await import('../../runtimes/prompt/askModel.ts');
    const reply = await askModel({
      provider,
      messages,
      policy: access.policy,
      signal,
      onText: (text) => onEvent({ type: 'text', text }),
      onNotice: (text) => onEvent({ type: 'notice', text }),
    });
    if (!reply) return;
    if ('problem' in reply) return onEvent({ type: 'failed', message: reply.problem });
    const { text, inputTokens, outputTokens } = reply;
    onUsage({ model: provider.model, inputTokens, outputTokens });
    const proposal = proposalOf(request, text);
    onEvent({
      type: 'done',
      model: provider.model,
      ...proposal,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
    });
  };
}

function proposalOf({ task, source, offset }: AssistRequest, text: string): Proposal {
  if (task === 'explain') return { source: null, words: text };
  if (task === 'complete')
    return { source: continuationIn(text, source?.slice(0, offset ?? undefined) ?? ''), words: '' };
  return proposalIn(text);
}

async function questionOf(
  access: ModelAccess,
  live: LookedAt,
  { task, cell_id: cellId, source, offset, instruction, include_values: withValues }: AssistRequest,
): Promise<{ readonly provider: Provider; readonly messages: Said[] }> {
  const provider = modelFor(access, live, cellId);
  if (!provider) throw refusals.noModel();
  if (task !== 'write' && cellId === null) throw refusals.assistNeedsCell(task);
  if ((task === 'write' || task === 'edit') && instruction.trim() === '') throw refusals.assistNeedsInstruction(task);
  const cell = cellId === null ? undefined : cellOf(live.notebook(), cellId);
  const hide = withoutSecrets(live, cellId);
  const text = source ?? cell?.source ?? '';
  const messages = messagesFor({
    task,
    language: cell?.language ?? usualLanguage,
    source: task === 'complete' ? withCursor(text, offset ?? text.length) : text,
    instruction,
    failure: task === 'fix' && cellId !== null ? live.cellRecord(cellId).error : null,
    names: namesInWords(live, cellId),
    values: withValues ? await valuesInWords(live, cellId, access.render, hide) : '',
  });
  return { provider, messages: messages.map(({ role, content }) => ({ role, content: hide(content) })) };
}
