/**
 * Takes secrets out of what is about to be logged, by the name of a field and by the look of a text, and bounds its
 * size. The answer is a plain JSON tree, so whoever prints it needs no care for cycles, big integers or getters.
 */
const mask = '<redacted>';
const maxTextLength = 8192;
const maxDepth = 6;
const maxMembers = 100;

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

const secretKey = /authorization|cookie|passw|^pwd$|secret|token|apikey|privatekey|accesskey|credential|signature/;
/** `input_tokens`, `tokens_available`: amounts, not secrets */
const tokenAmount = /tokens/;

export function isSecretKey(key: string): boolean {
  return secretKey.test(key.toLowerCase().replaceAll(/[-_.\s]/g, ''));
}

// One cheap look that most texts pass; the rules below then run only where one of them could match.
const suspicious =
  /svc_|bearer|basic|publications|(?:\/|%2f)p(?:\/|%2f)|signature|sig=|:\/\/|passw|pwd|secret|token|api.?key/i;

const rules: readonly (readonly [RegExp, string])[] = [
  // API keys. The id is hexadecimal: names such as svc_cache_hits_total stay readable.
  [/(?<![a-z0-9])svc_(?:[0-9a-f]{8,64}_[\w-]{8,}|[a-z0-9]{1,64}_[\w-]{40,})/gi, `svc_${mask}`],
  [/\b(bearer)\s+(?!token\b|header\b|<)[\w.~+/=-]+/gi, `$1 ${mask}`],
  // Base64 without a digit or sign is rare, words such as "basic operations" are not.
  [/\b(basic)\s+(?=[a-z]*[\d+/=])[\w+/=-]{8,}/gi, `$1 ${mask}`],
  // Publication tokens: also percent-encoded, as in /oembed?url=…%2Fp%2F<token>.
  [/((?:\/|%2f)(?:p|v1(?:\/|%2f)publications)(?:\/|%2f))(?:(?!%2f)[^/?#&\s"'<])+/gi, `$1${mask}`],
  [/([?&](?:[\w-]{0,32}signature|sig|[\w-]{0,32}token|api_?key|password)=)[^&#\s"'<]+/gi, `$1${mask}`],
  // scheme://user:password@host; greedy, because unencoded passwords may contain @
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,256}:)[^\s/]{1,1024}@/gi, `$1${mask}@`],
  [
    /((?:password|passwd|pwd|secret|api[_-]?key|(?:access|run|proxy)[_-]?token)["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"'&,;<]+/gi,
    `$1${mask}`,
  ],
];

export function redactText(text: string): string {
  let clean = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}… (${text.length} characters)` : text;
  if (!suspicious.test(clean)) return clean;
  for (const [pattern, replacement] of rules) clean = clean.replaceAll(pattern, replacement);
  return clean;
}

/** The value as it may be logged under this name. */
export function redactField(key: string, value: unknown, depth = 0): JsonValue {
  const harmless = value === null || value === undefined || typeof value === 'boolean';
  if (!harmless && isSecretKey(key) && !(typeof value === 'number' && tokenAmount.test(key))) return mask;
  return redactValue(value, depth);
}

function redactValue(value: unknown, depth: number): JsonValue {
  switch (typeof value) {
    case 'string':
      return redactText(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? null : redactObject(value, depth);
    case 'undefined':
      return null;
    default:
      return `<${typeof value}>`;
  }
}

function redactObject(value: object, depth: number): JsonValue {
  if (value instanceof Error) return redactText(exceptionText(value));
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof URL) return redactText(value.href);
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  // Depth alone ends cycles.
  if (depth >= maxDepth) return '…';
  if (Array.isArray(value)) {
    const items: JsonValue[] = value.slice(0, maxMembers).map((item) => redactValue(item, depth + 1));
    if (value.length > maxMembers) items.push(`… ${value.length - maxMembers} more`);
    return items;
  }
  const members = value instanceof Map ? [...value].map(([key, item]) => [String(key), item]) : Object.entries(value);
  const tree: { [key: string]: JsonValue } = {};
  for (const [key, item] of members.slice(0, maxMembers)) tree[key] = redactField(key, item, depth + 1);
  return tree;
}

/** The stack and, like Python's chained tracebacks, those of the causes. */
export function exceptionText(error: Error): string {
  const texts: string[] = [];
  let current: unknown = error;
  while (current instanceof Error && texts.length < 5) {
    texts.push(current.stack ?? `${current.name}: ${current.message}`);
    current = current.cause;
  }
  return texts.join('\nCaused by: ');
}
