// The text of `notebook.toml` → checked data, and the layout that edits work on. A file that cannot be used is refused
// with its line and key, so that whoever wrote it by hand finds the place.
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { type Refusal, refusals } from '../../errors/index.ts';
import { type Layout, scanLayout } from '../../toml/index.ts';
import { notebookFileName } from './notebook.ts';
import { type NotebookFile, notebookFileSchema } from './schema.ts';

export interface ParsedFile {
  readonly file: NotebookFile;
  /** The same document before any default was filled in. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly layout: Layout;
}

export function parseNotebookFile(text: string): ParsedFile {
  const data = parseToml(text);
  const layout = scanLayout(text);
  const checked = notebookFileSchema.safeParse(data);
  if (!checked.success) throw schemaRefusal(layout, checked.error.issues);
  const seen = new Set<string>();
  for (const { id } of checked.data.cells) {
    if (seen.has(id)) throw duplicateCell(layout, id, checked.data);
    seen.add(id);
  }
  return { file: checked.data, data, layout };
}

function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded', useLegacyDate: false });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const line = text.split('\n')[error.line - 1] ?? '';
    const key = /^\s*([^=\s#[][^=#]*)=/.exec(line)?.[1]?.trimEnd() ?? null;
    const reason = error.message.split('\n')[0]?.replace('Invalid TOML document: ', '') ?? 'is not TOML';
    throw refusals.notebookFileInvalid({ file: notebookFileName, line: error.line, key }, reason);
  }
}

function schemaRefusal(layout: Layout, issues: readonly z.core.$ZodIssue[]): Refusal {
  const [issue] = issues;
  const path = issue?.path ?? [];
  const key = path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? String(step) : `${text}.${String(step)}`,
    '',
  );
  const place = { file: notebookFileName, line: lineOf(layout, path), key: key === '' ? null : key };
  return refusals.notebookFileInvalid(place, issue?.message ?? 'is not a notebook');
}

function duplicateCell(layout: Layout, id: string, file: NotebookFile): Refusal {
  const second = file.cells.findLastIndex((cell) => cell.id === id);
  const line = lineOf(layout, ['cells', second, 'id']);
  return refusals.notebookFileInvalid(
    { file: notebookFileName, line, key: `cells[${second}].id` },
    `'${id}' is used twice`,
  );
}

/** The line, from 1, of the deepest part of `path` that has one; null when nothing of it is written. */
function lineOf(layout: Layout, path: readonly PropertyKey[]): number | null {
  const names = path.filter((step) => typeof step === 'string');
  const element = path.find((step) => typeof step === 'number');
  let line = 1;
  let elements = -1;
  let best = { line: 0, depth: 0 };
  for (const block of layout) {
    if (block.opensElement && block.path.length === 1 && block.path[0] === names[0]) elements += 1;
    const isOther = block.path[0] === names[0] && element !== undefined && elements >= 0 && elements !== element;
    const consider = (found: readonly string[], at: number): void => {
      const depth = found.findIndex((name, place) => name !== names[place]);
      const fits = depth < 0 && found.length > 0 && found.length <= names.length;
      if (fits && !isOther && found.length > best.depth) best = { line: at, depth: found.length };
    };
    line += breaks(block.header);
    consider(block.path, line - 1);
    for (const item of block.lines) {
      if (item.kind === 'entry') consider([...block.path, ...item.path], line + breaks(item.before));
      line += item.kind === 'entry' ? breaks(item.before + item.value + item.after) : breaks(item.text);
    }
  }
  return best.depth === 0 ? null : best.line;
}

const breaks = (text: string): number => text.split('\n').length - 1;
