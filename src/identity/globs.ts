// Shell-style patterns as access rules use them: `*`, `?`, `[…]`, `[!…]`, case-sensitive, over the whole name.

const cache = new Map<string, RegExp>();

export function matchesGlob(pattern: string, name: string): boolean {
  let compiled = cache.get(pattern);
  if (!compiled) {
    compiled = compile(pattern);
    cache.set(pattern, compiled);
  }
  return compiled.test(name);
}

function compile(pattern: string): RegExp {
  let source = '';
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === '*') {
      // A run of stars means what one does; written as one, it cannot backtrack its way into minutes.
      if (pattern.charAt(at + 1) !== '*') source += '.*';
    } else if (char === '?') source += '.';
    else if (char === '[') {
      const close = pattern.indexOf(']', pattern.charAt(at + 1) === '!' ? at + 3 : at + 2);
      if (close < 0) source += '\\[';
      else {
        source += characterClass(pattern.slice(at + 1, close));
        at = close;
      }
    } else source += char.replace(/[\\^$.|+(){}\]/-]/, '\\$&');
  }
  return new RegExp(`^${source}$`, 's');
}

function characterClass(body: string): string {
  const negated = body.startsWith('!');
  const members = (negated ? body.slice(1) : body).replace(/[\\\]^[]/g, '\\$&');
  return `[${negated ? '^' : ''}${members}]`;
}
