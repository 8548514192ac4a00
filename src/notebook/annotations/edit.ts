// Sets and removes directives in a source without touching any other line.
import { refusals } from '../../errors/index.ts';
import { leadingBlock, splitLines } from './block.ts';
import { parseFetch } from './inputs.ts';
import { tokensOf } from './words.ts';

/** A cell may have many of these, so there is no one line to set. */
const repeatable = new Set(['env', 'mount', 'table', 'write_table', 'output_dir', 'fetch', 'dataset']);

/** Replaces the first line of the directive and drops later ones; a new one goes after the last directive, else first. */
export function setDirective(source: string, directive: string, value: string): string {
  const name = directive.toLowerCase();
  if (repeatable.has(name)) throw refusals.directiveRepeats(name);
  if (/[\r\n]/.test(value)) throw refusals.directiveValueBroken(name);
  const { directives } = leadingBlock(source);
  const [first, ...later] = directives.filter((one) => one.name === name).map(({ line }) => line - 1);
  const text = `# @${name} ${value}`.trimEnd();
  const lines = splitLines(source);
  if (first !== undefined) {
    return lines
      .with(first, text + breakOf(lines[first] ?? ''))
      .filter((_, place) => !later.includes(place))
      .join('');
  }
  const at = directives.at(-1)?.line ?? 0;
  const above = lines[at - 1] ?? '\n';
  const separator = source.includes('\r\n') ? '\r\n' : '\n';
  // After a last line without a break, the new line is the last one without.
  return breakOf(above) === ''
    ? [...lines.with(at - 1, above + separator), text].join('')
    : lines.toSpliced(at, 0, text + separator).join('');
}

/** Removes every line of the directive from the leading block. */
export function removeDirective(source: string, directive: string): string {
  const name = directive.toLowerCase();
  const found = new Set(
    leadingBlock(source)
      .directives.filter((one) => one.name === name)
      .map(({ line }) => line - 1),
  );
  return found.size === 0
    ? source
    : splitLines(source)
        .filter((_, place) => !found.has(place))
        .join('');
}

/** Writes the digest of what was fetched into the fetch's line. */
export function pinFetch(source: string, fetchName: string, digest: string): string {
  const found = leadingBlock(source).directives.findLast(
    ({ name, value }) => name === 'fetch' && parseFetch(value)?.name === fetchName,
  );
  if (found === undefined) return source;
  const [name, url, ...options] = tokensOf(found.value);
  const others = options.filter((option) => !option.startsWith('sha256='));
  const text = ['#', '@fetch', name, url, `sha256=${digest}`, ...others].join(' ');
  const lines = splitLines(source);
  return lines.with(found.line - 1, text + breakOf(lines[found.line - 1] ?? '')).join('');
}

const breakOf = (line: string): string => /(?:\r\n|\n|\r)?$/.exec(line)?.[0] ?? '';
