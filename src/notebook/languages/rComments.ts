// Comments change no result; what looks like one in a text of several lines does.
const rawText = /[rR](?<quote>["'])(?<dashes>-*)(?:\([\s\S]*?\)|\[[\s\S]*?\]|\{[\s\S]*?\})\k<dashes>\k<quote>/;
const text = /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|`(?:\\[\s\S]|[^`\\])*`/;
const commentLine = /^(?<comment>[ \t]*#.*)$/;
const restOfLine = /#.*$/;
const tokens = new RegExp([commentLine, rawText, text, restOfLine].map(({ source }) => source).join('|'), 'gm');

/** An R source without the lines that are comments as a whole. */
export const withoutCommentLines = (source: string): string =>
  source.replace(tokens, (token, comment: string | undefined) => (comment === undefined ? token : ''));
