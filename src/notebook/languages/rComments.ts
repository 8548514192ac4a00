// Comments change no result; what looks like one in a text of several lines does.
const rawBegins = /[rR](?<quote>["'])(?<dashes>-*)(?<bracket>[([{])/;
// One that does not end goes to the end of the source.
const text = /"(?:\\[\s\S]|[^"\\])*"?|'(?:\\[\s\S]|[^'\\])*'?|`(?:\\[\s\S]|[^`\\])*`?/;
const commentLine = /^(?<comment>[ \t]*#.*)$/;
const restOfLine = /#.*$/;
const tokens = [commentLine, rawBegins, text, restOfLine].map(({ source }) => source).join('|');
const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** An R source without the lines that are comments as a whole. */
export function withoutCommentLines(source: string): string {
  const token = new RegExp(tokens, 'gm');
  const missing = new Set<string>();
  const kept: string[] = [];
  let done = 0;

  /** Where a raw text ends; undefined where it does not: it is none then. */
  function endOfRaw(end: string, from: number): number | undefined {
    const at = missing.has(end) ? -1 : source.indexOf(end, from);
    if (at >= 0) return at + end.length;
    missing.add(end);
    return undefined;
  }

  for (let found = token.exec(source); found; found = token.exec(source)) {
    const { comment, quote = '', dashes = '', bracket } = found.groups ?? {};
    if (comment !== undefined) {
      kept.push(source.slice(done, found.index));
      done = token.lastIndex;
    } else if (bracket !== undefined)
      token.lastIndex = endOfRaw(`${closing[bracket]}${dashes}${quote}`, token.lastIndex) ?? found.index + 1;
  }
  return kept.join('') + source.slice(done);
}
