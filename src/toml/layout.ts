// The text of a TOML document as blocks and entries that print back to exactly the same text. Edits change single
// entries or blocks and leave every other character alone, comments included. The scanner takes its text for valid
// TOML: it finds where things stand, what they mean is the parser's business.

/** `key = value` with the comment lines that stand directly above it. */
export interface Entry {
  readonly kind: 'entry';
  readonly path: readonly string[];
  /** Own comments, indentation, key and equals sign. */
  readonly before: string;
  readonly value: string;
  /** Spaces, a comment on the same line, and the line break. */
  readonly after: string;
}

/** Blank lines, and comments that belong to no entry. */
export interface Filler {
  readonly kind: 'filler';
  readonly text: string;
}

/** What stands under one `[header]` or `[[header]]`; the first block of a document is the root and has no header. */
export interface Block {
  readonly path: readonly string[];
  /** Whether the header is in double brackets: each such block opens one element of an array. */
  readonly opensElement: boolean;
  /** Comments directly above the header, and its line. */
  readonly header: string;
  readonly lines: readonly (Entry | Filler)[];
}

export type Layout = readonly Block[];

export function printLayout(layout: Layout): string {
  return layout.map(printBlock).join('');
}

export function printBlock({ header, lines }: Block): string {
  return (
    header + lines.map((line) => (line.kind === 'entry' ? line.before + line.value + line.after : line.text)).join('')
  );
}

/** The last line of a file may lack its line break. */
export function endLine(block: Block): Block {
  const last = block.lines.at(-1);
  if (last === undefined) {
    return block.header === '' || block.header.endsWith('\n') ? block : { ...block, header: `${block.header}\n` };
  }
  const ended = last.kind === 'entry' ? last.after.endsWith('\n') : last.text.endsWith('\n');
  if (ended) return block;
  const line = last.kind === 'entry' ? { ...last, after: `${last.after}\n` } : { ...last, text: `${last.text}\n` };
  return { ...block, lines: block.lines.with(-1, line) };
}

/** The block with one blank line after its last line, as a separation from what follows. */
export function spaced(block: Block): Block {
  const ended = endLine(block);
  const last = ended.lines.at(-1);
  if (last?.kind === 'filler' && last.text.trim() === '') return ended;
  if (ended.header === '' && ended.lines.length === 0) return ended;
  return { ...ended, lines: [...ended.lines, { kind: 'filler', text: '\n' }] };
}

export function unspaced(block: Block): Block {
  const kept = block.lines.findLastIndex((line) => line.kind === 'entry' || line.text.trim() !== '');
  return { ...block, lines: block.lines.slice(0, kept + 1) };
}

/** Without the blocks that are `gone`. Where they stood last, the blank line before them goes too. */
export function withoutThe(layout: Layout, gone: (block: Block) => boolean): Layout {
  const last = layout.at(-1);
  const kept = layout.filter((block) => !gone(block));
  return last !== undefined && gone(last) ? [...kept.slice(0, -1), ...kept.slice(-1).map(unspaced)] : kept;
}

export function scanLayout(text: string): Layout {
  const blocks: Block[] = [];
  let open: { path: readonly string[]; opensElement: boolean; header: string; lines: (Entry | Filler)[] } = {
    path: [],
    opensElement: false,
    header: '',
    lines: [],
  };
  let own = '';
  let place = 0;
  function dropOwn(): void {
    if (own !== '') open.lines.push({ kind: 'filler', text: own });
    own = '';
  }

  while (place < text.length) {
    const start = skipSpaces(text, place);
    const first = text[start];
    if (first === undefined || first === '\n' || first === '\r') {
      dropOwn();
      const end = lineEnd(text, start);
      open.lines.push({ kind: 'filler', text: text.slice(place, end) });
      place = end;
    } else if (first === '#') {
      const end = lineEnd(text, start);
      own += text.slice(place, end);
      place = end;
    } else if (first === '[') {
      const opensElement = text[start + 1] === '[';
      const { path } = scanKey(text, start + (opensElement ? 2 : 1));
      const end = lineEnd(text, start);
      blocks.push(open);
      open = { path, opensElement, header: own + text.slice(place, end), lines: [] };
      own = '';
      place = end;
    } else {
      const key = scanKey(text, start);
      const valueStart = skipSpaces(text, key.end + 1);
      const valueEnd = scanValue(text, valueStart);
      const end = lineEnd(text, valueEnd);
      open.lines.push({
        kind: 'entry',
        path: key.path,
        before: own + text.slice(place, valueStart),
        value: text.slice(valueStart, valueEnd),
        after: text.slice(valueEnd, end),
      });
      own = '';
      place = end;
    }
  }
  dropOwn();
  blocks.push(open);
  return blocks;
}

/** The dotted key at `place`; `end` is where its equals sign or closing bracket stands. */
export function scanKey(text: string, place: number): { path: string[]; end: number } {
  const path: string[] = [];
  let at = place;
  for (;;) {
    at = skipSpaces(text, at);
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      const end = scanString(text, at);
      path.push(quote === '"' ? unescapeKey(text.slice(at, end)) : text.slice(at + 1, end - 1));
      at = end;
    } else {
      const start = at;
      at = matchFrom(bareKey, text, at);
      path.push(text.slice(start, at));
    }
    at = skipSpaces(text, at);
    if (text[at] !== '.') return { path, end: at };
    at += 1;
  }
}

/** Where the value that begins at `place` ends. */
export function scanValue(text: string, place: number): number {
  const first = text[place];
  if (first === '"' || first === "'") return scanString(text, place);
  if (first !== '[' && first !== '{') {
    let at = matchFrom(bareValue, text, place);
    while (at > place && isSpace(text[at - 1])) at -= 1;
    return at;
  }
  let depth = 0;
  let at = place;
  while (at < text.length) {
    const character = text[at];
    if (character === '"' || character === "'") {
      at = scanString(text, at);
      continue;
    }
    if (character === '#') {
      at = lineEnd(text, at);
      continue;
    }
    if (character === '[' || character === '{') depth += 1;
    if (character === ']' || character === '}') depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return at;
}

function scanString(text: string, place: number): number {
  const quote = text[place] ?? '"';
  const triple = quote.repeat(3);
  if (text.startsWith(triple, place)) {
    let at = place + 3;
    while (at < text.length && !text.startsWith(triple, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1;
    at += 3;
    // Up to two quotes of the content may stand right before the closing three.
    for (let more = 0; more < 2 && text[at] === quote; more += 1) at += 1;
    return at;
  }
  let at = place + 1;
  while (at < text.length && text[at] !== quote) at += quote === '"' && text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function unescapeKey(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(
      /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))/g,
      (_all, short, long, byte, one: string) =>
        one === undefined
          ? String.fromCodePoint(Number.parseInt(short ?? long ?? byte, 16))
          : ({ b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b' }[one] ?? one),
    );
}

const bareKey = /[A-Za-z0-9_-]*/y;
const bareValue = /[^,\]}#\r\n]*/y;

/** Where the match of a sticky pattern that begins at `place` ends. */
function matchFrom(pattern: RegExp, text: string, place: number): number {
  pattern.lastIndex = place;
  pattern.test(text);
  return Math.max(place, pattern.lastIndex);
}

export function skipSpaces(text: string, place: number): number {
  let at = place;
  while (isSpace(text[at])) at += 1;
  return at;
}

const isSpace = (character: string | undefined): boolean => character === ' ' || character === '\t';

/** Just after the line break that ends the line of `place`. */
function lineEnd(text: string, place: number): number {
  const end = text.indexOf('\n', place);
  return end < 0 ? text.length : end + 1;
}
