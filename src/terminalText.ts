// What a program printed as a terminal shows it: a progress bar that writes over its own line is one line, the last one.

// Colours, movements and titles: none of them is text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told with these
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;
const clearedLine = '\x1b[2K';
const clearedRest = '\x1b[K';

const isObeyed = (text: string): boolean => ['\r', '\b', '\x1b'].some((sign) => text.includes(sign));

export function terminalText(text: string): string {
  return isObeyed(text) ? text.split('\n').map(written).join('\n') : text;
}

/** Each return goes back to the first column; what is written then covers what stood there. */
function written(line: string): string {
  if (!isObeyed(line)) return line;
  return line.split('\r').reduce((before, next) => {
    const text = plain(next.split(clearedLine).at(-1) ?? '');
    return next.includes(clearedRest) || next.includes(clearedLine) ? text : text + before.slice(text.length);
  }, '');
}

function plain(text: string): string {
  const signs = text.replaceAll(escapes, '');
  if (!signs.includes('\b')) return signs;
  let kept = '';
  for (const sign of signs) kept = sign === '\b' ? kept.slice(0, -1) : kept + sign;
  return kept;
}
