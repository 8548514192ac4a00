// What a program printed with the colours that it asked a terminal for, as runs of equal looks.

/** `colour` and `background` as CSS writes them. */
export interface Look {
  readonly colour?: string;
  readonly background?: string;
  readonly isBold?: boolean;
  readonly isFaint?: boolean;
  readonly isItalic?: boolean;
  readonly isUnderlined?: boolean;
  readonly isStruck?: boolean;
  readonly isInverse?: boolean;
}

export interface Run {
  readonly text: string;
  readonly look: Look;
}

const plain: Look = {};
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told with these
const asksForLooks = /\x1b\[[\d;:]*m/;
/** One order to the terminal, or one sign; a sign may take two places in memory. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told with these
const tokens = /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]|[\s\S]/gu;

// As xterm has them; the page makes them legible on its paper.
const palette = [
  ...['#000000', '#cd0000', '#00a000', '#b08000', '#0000ee', '#cd00cd', '#008b8b', '#7f7f7f'],
  ...['#7f7f7f', '#ff0000', '#00c000', '#c0a000', '#5c5cff', '#ff00ff', '#00b0b0', '#a0a0a0'],
];

export const hasColours = (text: string): boolean => asksForLooks.test(text);

export function colouredRuns(text: string): Run[] {
  const runs: Run[] = [];
  let look = plain;
  for (const [at, line] of text.split('\n').entries()) {
    if (at > 0) append(runs, { text: '\n', look: plain });
    const written = writeLine(line, look);
    for (const sign of written.signs) append(runs, sign);
    look = written.look;
  }
  return runs;
}

function append(runs: Run[], { text, look }: Run): void {
  const last = runs.at(-1);
  if (last && (last.look === look || text === '\n'))
    runs[runs.length - 1] = { text: last.text + text, look: last.look };
  else runs.push({ text, look });
}

/** A return goes back to the first column; what is written then covers what stood there. */
function writeLine(line: string, before: Look): { signs: Run[]; look: Look } {
  let signs: Run[] = [];
  let look = before;
  let column = 0;
  for (const [token, parameters, order] of line.matchAll(tokens)) {
    if (token === '\r') column = 0;
    else if (token === '\b') column = Math.max(0, column - 1);
    else if (order === 'm') look = changed(look, parameters ?? '');
    else if (order === 'K') signs = cleared(signs, column, parameters ?? '');
    else if (!token.startsWith('\x1b')) signs[column++] = { text: token, look };
  }
  return { signs, look };
}

function cleared(signs: Run[], column: number, part: string): Run[] {
  if (part === '2') return Array.from({ length: column }, () => ({ text: ' ', look: plain }));
  return part === '1'
    ? signs.map((sign, at) => (at <= column ? { text: ' ', look: plain } : sign))
    : signs.slice(0, column);
}

function changed(before: Look, parameters: string): Look {
  let look = before;
  const codes = parameters.split(';').flatMap(codesOf);
  for (let code = codes.shift(); code !== undefined; code = codes.shift()) {
    if (code === 38 || code === 48) look = withColour(look, code === 38, mixed(codes));
    // The colour of a line below the text, which has that of the text here.
    else if (code === 58) mixed(codes);
    else look = withCode(look, code);
  }
  return look;
}

/** What stands behind a colon says more of the code before it: `4:3` is a wavy line, `38:2::r:g:b` may name a space of colours. */
function codesOf(parameter: string): number[] {
  const [code = 0, ...more] = parameter.split(':').map(Number);
  if (more.length === 0) return [code];
  if (code === 4) return [more[0] === 0 ? 24 : 4];
  if (code !== 38 && code !== 48) return [];
  return [code, ...(more[0] === 2 && more.length > 4 ? [2, ...more.slice(2, 5)] : more)];
}

function withCode(look: Look, code: number): Look {
  const { colour: _, ...uncoloured } = look;
  const { background: __, ...onPaper } = look;
  if (code === 0) return plain;
  if (code === 39) return uncoloured;
  if (code === 49) return onPaper;
  if (code >= 30 && code <= 37) return withColour(look, true, palette[code - 30]);
  if (code >= 90 && code <= 97) return withColour(look, true, palette[code - 82]);
  if (code >= 40 && code <= 47) return withColour(look, false, palette[code - 40]);
  if (code >= 100 && code <= 107) return withColour(look, false, palette[code - 92]);
  return { ...look, ...switches[code] };
}

const switches: Readonly<Record<number, Look>> = {
  1: { isBold: true },
  2: { isFaint: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  9: { isStruck: true },
  22: { isBold: false, isFaint: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isInverse: false },
  29: { isStruck: false },
};

const withColour = (look: Look, isText: boolean, colour: string | undefined): Look =>
  colour === undefined ? look : { ...look, [isText ? 'colour' : 'background']: colour };

/** The colour that the codes behind 38 or 48 name: `5;n` of 256, or `2;r;g;b`. Takes them away. */
function mixed(codes: number[]): string | undefined {
  const kind = codes.shift();
  if (kind === 2) return hex(codes.splice(0, 3));
  const [number] = kind === 5 ? codes.splice(0, 1) : [];
  if (number === undefined || !(number >= 0 && number <= 255)) return undefined;
  if (number < 16) return palette[number];
  if (number >= 232) return hex(Array.from({ length: 3 }, () => 8 + 10 * (number - 232)));
  const level = (place: number): number => [0, 95, 135, 175, 215, 255][Math.floor((number - 16) / place) % 6] ?? 0;
  return hex([level(36), level(6), level(1)]);
}

function hex(parts: readonly number[]): string | undefined {
  if (parts.length < 3 || parts.some((part) => !(part >= 0 && part <= 255))) return undefined;
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
