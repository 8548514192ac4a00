// Inline tables and arrays taken apart into the same entries and blocks that stand on lines of their own.
import { type Block, type Entry, endLine, type Layout, scanKey, scanValue, skipSpaces } from './layout.ts';
import { printPath } from './print.ts';

/** The elements of an inline array of tables, as blocks; comments go above the element they stood by. */
export function inlineElements(key: string, value: string): Layout[] {
  const elements: { comments: string; lines: Entry[] }[] = [];
  let comments = '';
  let sameLine = false;
  let at = 1;
  while (at < value.length - 1) {
    const character = value[at];
    if (character === '#') {
      const found = value.indexOf('\n', at);
      const end = found < 0 ? value.length : found;
      const comment = `${value.slice(at, end).trimEnd()}\n`;
      const previous = elements.at(-1);
      if (sameLine && previous !== undefined) previous.comments += comment;
      else comments += comment;
      at = end;
    } else if (character === '{') {
      const end = scanValue(value, at);
      elements.push({ comments, lines: inlineFields(value.slice(at + 1, end - 1)) });
      comments = '';
      sameLine = true;
      at = end;
    } else {
      if (character === '\n') sameLine = false;
      at += 1;
    }
  }
  return elements.map(({ comments: own, lines }) => [
    { path: [key], opensElement: true, header: `${own}[[${key}]]\n`, lines },
  ]);
}

/** The fields of an inline table, given what stands between its braces. */
export function inlineFields(text: string): Entry[] {
  const fields: Entry[] = [];
  let comments = '';
  let at = 0;
  for (;;) {
    while (/[\s,]/.test(text[at] ?? '')) at += 1;
    if (at >= text.length) return fields;
    if (text[at] === '#') {
      const comment = /#[^\r\n]*/y;
      comment.lastIndex = at;
      comments += `${comment.exec(text)?.[0].trimEnd()}\n`;
      at = comment.lastIndex;
      continue;
    }
    const key = scanKey(text, at);
    const start = skipSpaces(text, key.end + 1);
    at = scanValue(text, start);
    const field = newEntry(key.path, text.slice(start, at));
    fields.push({ ...field, before: comments + field.before });
    comments = '';
  }
}

/**
 * The layout with every inline table that holds `target` written as a block, since nothing can be added to an inline
 * table from outside of it.
 */
export function withoutInlineHolders(layout: Layout, target: readonly string[]): Layout {
  for (const [at, block] of layout.entries()) {
    const line = block.lines.findIndex((one) => one.kind === 'entry' && holds([...block.path, ...one.path], target));
    const entry = block.lines[line];
    if (entry?.kind !== 'entry' || !entry.value.startsWith('{')) continue;
    const path = [...block.path, ...entry.path];
    const comments = entry.before.slice(0, entry.before.lastIndexOf('\n') + 1);
    const header = `${comments}[${printPath(path)}]${entry.after.trim() === '' ? '\n' : entry.after}`;
    const expanded: Block = { path, opensElement: false, header, lines: inlineFields(entry.value.slice(1, -1)) };
    const rest = endLine({ ...block, lines: block.lines.toSpliced(line, 1) });
    return withoutInlineHolders(layout.toSpliced(at, 1, rest, expanded), target);
  }
  return layout;
}

function holds(path: readonly string[], target: readonly string[]): boolean {
  return path.length < target.length && path.every((key, place) => key === target[place]);
}

/** `key = value` on a line of its own. */
export function newEntry(path: readonly string[], value: string): Entry {
  return { kind: 'entry', path, before: `${printPath(path)} = `, value, after: '\n' };
}
