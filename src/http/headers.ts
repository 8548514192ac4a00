// Headers that need care: what was sent under one name, and the name of a file that is sent.

/**
 * All values that were sent under one name, as they came. The platform's own view joins or drops repeated headers, which
 * an identity must never rest on.
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const wanted = name.toLowerCase();
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === wanted) values.push(asUtf8(rawHeaders[at + 1] ?? ''));
  }
  return values;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The platform reads each byte as one character; names and secrets are UTF-8, as the settings they are held against. */
function asUtf8(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** A download under this name: in plain letters for every client, and as it is for those that understand. */
export function attachment(name: string): string {
  const plain = name
    .replace(/[^\w\s.-]/g, '')
    .replace(/\s+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '')
    .replace(/^(?=\.|$)/, 'notebook');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`;
}
