// Edits of a TOML layout, key by key: a value that is already there stays as it was written, one that changes is
// replaced where it stands, a new one goes last among its kind. Pure; every other line is handed on untouched.
import { parse } from 'smol-toml';
import { newEntry, withoutInlineHolders } from './inline.ts';
import { type Block, type Entry, endLine, type Filler, type Layout, spaced, withoutThe } from './layout.ts';
import { isRaw, isTable, printPath, printValue, rawText, type TomlData, type TomlTable } from './print.ts';

/** Sets, replaces or (with `undefined`) removes `key` of the table at `path`; `current` is its value as parsed. */
export function putKey(
  layout: Layout,
  path: readonly string[],
  key: string,
  current: unknown,
  next: TomlData | undefined,
): Layout {
  const target = [...path, key];
  if (next === undefined)
    return current === undefined ? layout : removeKey(withoutInlineHolders(layout, target), target);
  if (current !== undefined && sameData(current, next)) return layout;
  const standing = layout.some((block) => block.lines.some((line) => isEntryOf(block, line, target)));
  if (standing) return replaceValue(layout, target, printValue(next));
  if (isTable(next) && isRecord(current)) return putTable(layout, target, current, next);
  const open = withoutInlineHolders(layout, target);
  if (open !== layout) return putKey(open, path, key, current, next);
  const cleared = current === undefined ? layout : removeKey(layout, target);
  return isTable(next) || isArrayOfTables(next)
    ? appendBlocks(cleared, path, newBlocks(target, next))
    : appendEntry(cleared, path, key, printValue(next));
}

/** Makes the table at `path` hold exactly the keys of `next`. */
export function putTable(
  layout: Layout,
  path: readonly string[],
  current: Record<string, unknown>,
  next: TomlTable,
): Layout {
  let edited = layout;
  for (const key of Object.keys(current)) {
    if (!Object.hasOwn(next, key)) edited = putKey(edited, path, key, current[key], undefined);
  }
  for (const [key, value] of Object.entries(next)) {
    edited = putKey(edited, path, key, Object.hasOwn(current, key) ? current[key] : undefined, value);
  }
  return edited;
}

/** Puts the entries of the table at `path` in the order of their keys; comments of their own go with them. */
export function sortEntries(layout: Layout, path: readonly string[]): Layout {
  return layout.map((block) => {
    if (!samePath(block.path, path)) return block;
    const { header, lines } = endLine(block);
    const entries = lines.filter((line) => line.kind === 'entry');
    const sorted = entries.sort((a, b) => (printPath(a.path) < printPath(b.path) ? -1 : 1)).values();
    return {
      ...block,
      header,
      lines: lines.map((line) => (line.kind === 'entry' ? (sorted.next().value ?? line) : line)),
    };
  });
}

export function removeKey(layout: Layout, target: readonly string[]): Layout {
  const others = withoutThe(layout, (block) => block.path.length > 0 && startsWith(block.path, target));
  return others.map((block) => {
    const kept = block.lines.filter(
      (line) => line.kind === 'filler' || !startsWith([...block.path, ...line.path], target),
    );
    return kept.length === block.lines.length ? block : { ...block, lines: kept };
  });
}

/** The blocks of a new table, or of a new array of tables: plain values first, then tables under their own headers. */
export function newBlocks(path: readonly string[], value: TomlData): Layout {
  if (Array.isArray(value)) {
    return value.flatMap((element: TomlData) => (isTable(element) ? tableBlocks(path, element, true) : []));
  }
  return isTable(value) ? tableBlocks(path, value, false) : [];
}

export function tableBlocks(path: readonly string[], table: TomlTable, opensElement: boolean): Layout {
  const entries = Object.entries(table);
  const nested = entries.filter(([, value]) => isTable(value) || isArrayOfTables(value));
  const plain = entries.filter((entry) => !nested.includes(entry));
  const title = opensElement ? `[[${printPath(path)}]]` : `[${printPath(path)}]`;
  const own: Block = {
    path,
    opensElement,
    header: `${title}\n`,
    lines: plain.map(([key, value]) => newEntry([key], printValue(value))),
  };
  // A header without entries of its own says nothing when sub-tables follow.
  const needed = opensElement || plain.length > 0 || nested.length === 0;
  const blocks = [...(needed ? [own] : []), ...nested.flatMap(([key, value]) => newBlocks([...path, key], value))];
  return [...blocks.slice(0, -1).map(spaced), ...blocks.slice(-1)];
}

function appendBlocks(layout: Layout, path: readonly string[], added: Layout): Layout {
  const last = path.length === 0 ? layout.length - 1 : layout.findLastIndex((block) => startsWith(block.path, path));
  const at = last < 0 ? layout.length - 1 : last;
  const rest = layout.slice(at + 1);
  const separated = added.map((block, place) => (place < added.length - 1 || rest.length > 0 ? spaced(block) : block));
  return [...layout.slice(0, at), ...layout.slice(at, at + 1).map(spaced), ...separated, ...rest];
}

function appendEntry(layout: Layout, path: readonly string[], key: string, value: string): Layout {
  const own = layout.findIndex((block) => samePath(block.path, path));
  const block = layout[own];
  if (block !== undefined) return layout.with(own, withEntryLast(block, newEntry([key], value)));
  // The table is only known by dotted keys or by the headers of its sub-tables.
  const dotted = layout.findIndex((other) =>
    other.lines.some((line) => line.kind === 'entry' && startsWith([...other.path, ...line.path], path)),
  );
  const holder = layout[dotted];
  if (holder === undefined) return appendBlocks(layout, path, [headerBlock(path, [newEntry([key], value)])]);
  return layout.with(dotted, withEntryLast(holder, newEntry([...path.slice(holder.path.length), key], value)));
}

function headerBlock(path: readonly string[], lines: readonly Entry[]): Block {
  return { path, opensElement: false, header: `[${printPath(path)}]\n`, lines };
}

/** After the last entry: blank lines and comments at the end of a block stay at its end. */
function withEntryLast(block: Block, entry: Entry): Block {
  const last = block.lines.findLastIndex((line) => line.kind === 'entry');
  const above = endLine({ ...block, lines: block.lines.slice(0, last + 1) });
  const below: readonly (Entry | Filler)[] = block.lines.slice(last + 1);
  return { ...above, lines: [...above.lines, entry, ...below] };
}

function replaceValue(layout: Layout, target: readonly string[], value: string): Layout {
  return layout.map((block) => {
    const at = block.lines.findIndex((line) => isEntryOf(block, line, target));
    const line = block.lines[at];
    return line?.kind === 'entry' ? { ...block, lines: block.lines.with(at, { ...line, value }) } : block;
  });
}

function isEntryOf(block: Block, line: Entry | Filler, target: readonly string[]): boolean {
  return line.kind === 'entry' && samePath([...block.path, ...line.path], target);
}

function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && startsWith(a, b);
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return path.length >= start.length && start.every((key, place) => path[place] === key);
}

function isArrayOfTables(value: TomlData): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isTable);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a parsed value is what `next` would be read back as. */
export function sameData(current: unknown, next: TomlData): boolean {
  if (isRaw(next))
    return isSame(current, parse(`v = ${rawText(next)}`, { integersAsBigInt: 'asNeeded', useLegacyDate: false }).v);
  if (Array.isArray(next)) {
    const values: readonly TomlData[] = next;
    return (
      Array.isArray(current) &&
      current.length === values.length &&
      values.every((one, place) => sameData(current[place], one))
    );
  }
  if (!isTable(next)) return current === next;
  if (!isRecord(current)) return false;
  const keys = Object.keys(next);
  return (
    keys.length === Object.keys(current).length &&
    keys.every((key) => {
      const value = next[key];
      return Object.hasOwn(current, key) && value !== undefined && sameData(current[key], value);
    })
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || (typeof a === 'object' && typeof b === 'object' && String(a) === String(b));
}
