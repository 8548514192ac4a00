// The leading block of a source: the run of blank and comment lines before the first line that is neither. Only there
// are directives read, in every language, and `#` is the comment sign in all of them.
import { type CellLanguage, kindOf } from '../../cellLanguages.ts';

export interface Directive {
  /** Lower case. */
  readonly name: string;
  /** Trimmed; may be empty. */
  readonly value: string;
  /** From 1. */
  readonly line: number;
}

export interface LeadingBlock {
  /** The lines with their line breaks. */
  readonly lines: readonly string[];
  readonly directives: readonly Directive[];
}

export function splitLines(source: string): string[] {
  return source.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

export function leadingBlock(source: string): LeadingBlock {
  const lines: string[] = [];
  const directives: Directive[] = [];
  for (const line of eachLine(source)) {
    const text = line.trim();
    if (text !== '' && !text.startsWith('#')) break;
    lines.push(line);
    const found = /^#\s*@([A-Za-z0-9_]+)\s*(.*)$/s.exec(text);
    if (found !== null) {
      directives.push({ name: (found[1] ?? '').toLowerCase(), value: found[2] ?? '', line: lines.length });
    }
  }
  return { lines, directives };
}

/** Line by line, so that a long source is not split for the sake of its first lines. */
function* eachLine(source: string): Generator<string> {
  const line = /[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/y;
  for (let found = line.exec(source); found !== null; found = line.exec(source)) yield found[0];
}

/** The source without its leading block; what is sent to somebody is trimmed as well. */
export function bodyOf(source: string, language: CellLanguage): string {
  const body = source.slice(leadingBlock(source).lines.reduce((length, line) => length + line.length, 0));
  return kindOf(language) === 'request' ? body.trim() : body;
}

/**
 * The first line of the block that begins with the directive and holds `text`; null when there is none. Beginnings are
 * compared, so looking for `loop` also finds `loop_until`.
 */
export function lineOf({ lines }: LeadingBlock, directive: string, text = ''): number | null {
  const at = lines.findIndex((line) => {
    const comment = line.trim().replace(/^#\s*/, '').toLowerCase();
    return line.trim().startsWith('#') && comment.startsWith(`@${directive}`) && comment.includes(text.toLowerCase());
  });
  return at < 0 ? null : at + 1;
}
