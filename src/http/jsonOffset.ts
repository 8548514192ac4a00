// Where a text stops being JSON. The platform's parser knows but does not always tell, so the place is looked for again,
// only when a document was refused.

const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them, which is what this finds
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

type Expectation = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'comma or end';

/** The offset of the first character that cannot stand where it stands; the length when the text just ends too early. */
export function jsonErrorOffset(text: string): number {
  const open: string[] = [];
  let expected: Expectation = 'value';
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const match = token.exec(text);
    const start = at + (/^[ \t\n\r]*/.exec(text.slice(at, at + 1000))?.[0].length ?? 0);
    if (!match) return start;
    const [, sign, string, other] = match;
    at = token.lastIndex;
    const isValue = expected === 'value' || expected === 'value or ]';
    if (isValue && (sign === '{' || sign === '[')) {
      open.push(sign);
      expected = sign === '{' ? 'key or }' : 'value or ]';
    } else if (isValue && (string !== undefined || other !== undefined)) expected = 'comma or end';
    else if ((expected === 'key' || expected === 'key or }') && string !== undefined) expected = ':';
    else if (expected === ':' && sign === ':') expected = 'value';
    else if (expected === 'comma or end' && sign === ',' && open.length > 0)
      expected = open.at(-1) === '{' ? 'key' : 'value';
    else if (closes(sign, open.at(-1), expected)) {
      open.pop();
      expected = 'comma or end';
    } else return start;
  }
}

function closes(sign: string | undefined, open: string | undefined, expected: Expectation): boolean {
  if (sign === '}') return open === '{' && (expected === 'comma or end' || expected === 'key or }');
  return sign === ']' && open === '[' && (expected === 'comma or end' || expected === 'value or ]');
}
