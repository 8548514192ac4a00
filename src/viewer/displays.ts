// What a cell shows, as lines: text, JSON, Markdown, tables in short, and words for what a terminal cannot show.
import type { CellModel } from '../model/index.ts';
import type { DisplayRecord } from '../protocol/index.ts';
import { type Line, line, noLine, plainLines } from './lines.ts';
import { tableLines } from './tableText.ts';

const previewRows = 20;
const previewColumns = 8;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const isPicture = ({ content_type }: DisplayRecord): boolean => content_type === 'image/png';

/** The only display of a cell, when it is a table that has pages. */
export function onlyTable({
  displays,
}: CellModel): { readonly uri: string; readonly columns: readonly string[] } | null {
  const [display, ...others] = displays;
  if (!display || others.length > 0 || display.content_type !== 'arrow/ipc') return null;
  const uri = text(display.artifact_uri);
  return uri === null || !Array.isArray(display.columns) ? null : { uri, columns: display.columns.map(String) };
}

export function displayLines(display: DisplayRecord, width: number): readonly Line[] {
  const { content_type: type, preview } = display;
  const inline = text(display.inline_text);
  switch (type) {
    case 'image/png':
      return [line(`[picture${sizeOf(display)}: i enlarges it]`, { dim: true })];
    case 'text/markdown':
      return markdownLines(text(display.markdown_text) ?? text(preview) ?? '');
    case 'arrow/ipc':
      return Array.isArray(display.columns) && Array.isArray(preview)
        ? [...previewTable(display.columns.map(String), preview, width), rowsLine(display)]
        : valueLines(text(display.text) ?? preview);
    case 'json/object':
      return valueLines(text(display.text) ?? preview);
    case 'error':
      return [
        line(`This value cannot be shown: ${text(display.error) ?? 'it could not be stored'}`, { colour: 'red' }),
      ];
    case 'text/html':
    case 'image/svg+xml':
      return [line(`[${type}: open the page to see it]`, { dim: true })];
    default:
      if (type.startsWith('application/vnd.')) return [line(`[${type}: open the page to see it]`, { dim: true })];
      return valueLines(text(display.text) ?? inline ?? preview);
  }
}

function previewTable(columns: readonly string[], preview: readonly unknown[], width: number): readonly Line[] {
  const rows = preview.slice(0, previewRows).map((row) => (Array.isArray(row) ? row : Object.values(Object(row))));
  return tableLines(columns.slice(0, previewColumns), rows, width);
}

const rowsLine = ({ rows }: DisplayRecord): Line =>
  line(typeof rows === 'number' ? `${rows} rows` : 'first rows', { dim: true });

const sizeOf = ({ width, height }: DisplayRecord): string =>
  typeof width === 'number' && typeof height === 'number' ? ` ${width}×${height}` : '';

const valueLines = (value: unknown): Line[] =>
  plainLines(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')).map((one) => line(one || ' '));

/** Headings, items and code told apart; everything else as it was written. */
export function markdownLines(source: string): Line[] {
  let isCode = false;
  return plainLines(source).map((one) => {
    if (/^\s*(```|~~~)/.test(one)) {
      isCode = !isCode;
      return line(one, { dim: true });
    }
    if (isCode) return line(one || ' ', { colour: 'cyan' });
    const heading = /^#{1,6}\s+(.*)$/.exec(one)?.[1];
    if (heading !== undefined) return line(heading, { bold: true });
    const item = /^(\s*)[-*+]\s+(.*)$/.exec(one);
    if (item) return line(`${item[1]}• ${emphasised(item[2] ?? '')}`);
    return one === '' ? noLine : line(emphasised(one));
  });
}

const emphasised = (one: string): string => one.replace(/(\*\*|__)(?=\S)(.+?)\1/g, '$2').replace(/`([^`]+)`/g, '$1');

/** Why it failed stands in place of what it would have shown. */
export function problemLines({ problem }: CellModel): readonly Line[] {
  if (!problem) return [];
  const missing =
    problem.install === null
      ? []
      : [problem.install.package, ...(problem.install.also ?? [])].map((name) =>
          line(`${name} is not installed`, { colour: 'yellow' }),
        );
  return [
    ...plainLines(`${problem.type}: ${problem.message}`).map((one) => line(one, { colour: 'red', bold: true })),
    ...missing,
    ...plainLines(problem.text).map((one) => line(one || ' ', { dim: true })),
  ];
}
