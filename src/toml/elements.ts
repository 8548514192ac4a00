// The elements of an array of tables at the top of a document, whether it is written inline or as `[[blocks]]`. Small
// elements stay inline, one to a line, as long as each fits its line; comments always find a place.
import { inlineElements, newEntry } from './inline.ts';
import { type Block, type Entry, endLine, type Layout, spaced, unspaced, withoutThe } from './layout.ts';
import { printInlineTable, printPath } from './print.ts';

/** The blocks of one element: `[[key]]` first, then those of its sub-tables. */
export type Element = Layout;

const maxInlineLine = 100;

export function elementsOf(layout: Layout, key: string): Element[] {
  const inline = rootEntry(layout, key);
  if (inline !== undefined) return inlineElements(key, inline.value);
  const elements: Block[][] = [];
  for (const block of layout) {
    if (block.path[0] !== key) continue;
    if (block.opensElement && block.path.length === 1) elements.push([]);
    elements.at(-1)?.push(block);
  }
  return elements;
}

/** The layout with these elements. Inline arrays are kept inline where `inline` allows it and every element fits. */
export function withElements(layout: Layout, key: string, elements: readonly Element[], inline: boolean): Layout {
  const entry = rootEntry(layout, key);
  const before = elementsOf(layout, key);
  const isInline = entry !== undefined || before.length === 0;
  if (elements.length === 0) {
    const others = withoutThe(layout, (block) => block.path[0] === key);
    return setRootValue(others, key, '[]');
  }
  const lines = isInline && inline ? elements.map(inlineLine) : [undefined];
  if (lines.every((line) => line !== undefined)) {
    return setRootValue(layout, key, `[\n${lines.map((line) => `    ${line},\n`).join('')}]`);
  }
  const first = layout.findIndex((block) => block.path[0] === key);
  const rest = (isInline ? withoutRootEntry(layout, key) : layout).filter((block) => block.path[0] !== key);
  const at = first >= 0 ? first : inline ? 1 : rest.length;
  return [...separate(rest.slice(0, at), elements, isInline ? [] : before, at < rest.length), ...rest.slice(at)];
}

/** With blank lines between them, unless the document's own elements stand close together. */
function separate(above: Layout, elements: readonly Element[], before: readonly Element[], followed: boolean): Layout {
  const close = before.length > 1 && !before.slice(0, -1).some(endsBlank);
  const end = close ? endLine : spaced;
  const printed = elements.flatMap((element, place) => {
    const isLast = place === elements.length - 1;
    if (!isLast || followed) return withLastBlock(element, end);
    return before.length > 0 && endsBlank(before.at(-1) ?? []) ? element : withLastBlock(element, unspaced);
  });
  return before.length > 0 ? [...above, ...printed] : [...withLastBlock(above, spaced), ...printed];
}

const withLastBlock = (blocks: Layout, change: (block: Block) => Block): Layout => [
  ...blocks.slice(0, -1),
  ...blocks.slice(-1).map(change),
];

function endsBlank(element: Element): boolean {
  const last = element.at(-1)?.lines.at(-1);
  return last?.kind === 'filler' && last.text.trim() === '';
}

/** The element on one line; undefined where that would lose something or grow too long. */
function inlineLine(element: Element): string | undefined {
  const [block] = element;
  if (block === undefined || element.length > 1 || block.header.includes('#')) return undefined;
  const entries = block.lines.filter((line) => line.kind === 'entry');
  const plain = block.lines.every((line) =>
    line.kind === 'entry'
      ? !`${line.before}${line.after}`.includes('#') && !line.value.includes('\n')
      : line.text.trim() === '',
  );
  const line = printInlineTable(entries.map(({ path, value }) => [printPath(path), value]));
  return plain && line.length + 4 <= maxInlineLine ? line : undefined;
}

function rootEntry(layout: Layout, key: string): Entry | undefined {
  return layout[0]?.lines.find((line): line is Entry => isRootEntry(line, key));
}

const isRootEntry = (line: Block['lines'][number], key: string): line is Entry =>
  line.kind === 'entry' && line.path.length === 1 && line.path[0] === key;

function withoutRootEntry(layout: Layout, key: string): Layout {
  return layout.map((block, place) =>
    place === 0 ? { ...block, lines: block.lines.filter((line) => !isRootEntry(line, key)) } : block,
  );
}

function setRootValue(layout: Layout, key: string, value: string): Layout {
  const [root, ...rest] = layout;
  if (root === undefined) return layout;
  const at = root.lines.findIndex((line) => isRootEntry(line, key));
  const standing = root.lines[at];
  if (standing?.kind === 'entry') return [{ ...root, lines: root.lines.with(at, { ...standing, value }) }, ...rest];
  const last = root.lines.findLastIndex((line) => line.kind === 'entry');
  return [{ ...root, lines: root.lines.toSpliced(last + 1, 0, newEntry([key], value)) }, ...rest];
}
