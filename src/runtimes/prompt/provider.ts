// Whom a prompt cell asks, and with what: the notebook's own words first, then a provider's key in its environment, then
// what the server offers. The server's key goes only where the operator sends it.

export interface AiChoice {
  readonly model: string | null;
  readonly base_url: string | null;
  readonly api_key: string | null;
  readonly max_output_tokens: number;
  readonly timeout_seconds: number;
}

export interface AiOffer {
  readonly baseUrl: string | null;
  readonly model: string | null;
  readonly apiKey: string | null;
  readonly maxOutputTokens: number;
  readonly timeoutSeconds: number;
}

/** What one answer of a model took. */
export interface ModelUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Provider {
  readonly name: 'anthropic' | 'google' | 'mistral' | 'openai' | 'local' | 'custom';
  readonly baseUrl: string;
  readonly model: string;
  /** Null when none can be used. */
  readonly apiKey: string | null;
  readonly maxTokens: number;
  readonly timeoutSeconds: number;
  /** The notebook chose the address, so a shared server looks where it leads. */
  readonly isChosen: boolean;
}

const openAi = { variable: 'OPENAI_API_KEY', baseUrl: 'https://api.openai.com/v1', model: 'gpt-5-mini' };

/** In the order in which their keys are looked for. */
const providers = [
  { variable: 'ANTHROPIC_API_KEY', baseUrl: 'https://api.anthropic.com/v1', model: 'claude-sonnet-4-5' },
  openAi,
  {
    variable: 'GEMINI_API_KEY',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    model: 'gemini-2.5-flash',
  },
  { variable: 'MISTRAL_API_KEY', baseUrl: 'https://api.mistral.ai/v1', model: 'mistral-large-latest' },
];

export const keyVariables = [...providers.map(({ variable }) => variable), 'SVC_AI_API_KEY'];

export function chooseProvider(
  chosen: AiChoice | null,
  env: Readonly<Record<string, string>>,
  offer: AiOffer,
  wanted: { readonly model: string | null; readonly maxTokens: number | null },
): Provider {
  const keyed = providers.find(({ variable }) => (env[variable] ?? '') !== '');
  const baseUrl = trimmed(chosen?.base_url ?? keyed?.baseUrl ?? offer.baseUrl ?? openAi.baseUrl);
  const ownKey = chosen?.api_key ?? (keyed ? env[keyed.variable] : env.SVC_AI_API_KEY) ?? null;
  const isTrusted = baseUrl === trimmed(offer.baseUrl ?? openAi.baseUrl);
  const apiKey = (ownKey === '' ? null : ownKey) ?? (isTrusted ? offer.apiKey : null);
  return {
    name: nameOf(baseUrl),
    baseUrl,
    model: wanted.model ?? chosen?.model ?? keyed?.model ?? offer.model ?? openAi.model,
    apiKey,
    maxTokens: wanted.maxTokens || chosen?.max_output_tokens || offer.maxOutputTokens,
    timeoutSeconds: chosen?.timeout_seconds ?? offer.timeoutSeconds,
    isChosen: chosen?.base_url !== null && chosen?.base_url !== undefined,
  };
}

const trimmed = (url: string): string => url.replace(/\/+$/, '');

function nameOf(url: string): Provider['name'] {
  if (url.includes('anthropic')) return 'anthropic';
  if (url.includes('googleapis') || url.includes('generativelanguage')) return 'google';
  if (url.includes('mistral')) return 'mistral';
  if (url.includes('openai')) return 'openai';
  return /localhost|127\.0\.0\.1/.test(url) ? 'local' : 'custom';
}
