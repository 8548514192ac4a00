// All values that were sent under one name, as they came. The platform's own view joins or drops repeated headers, which
// an identity must never rest on.

export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const wanted = name.toLowerCase();
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === wanted) values.push(rawHeaders[at + 1] ?? '');
  }
  return values;
}
