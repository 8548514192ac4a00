// What stands in each pane for the selected cell, as lines. What lies on the server (pages of a table, a picture) is asked
// for when it is looked at.

import { useEffect, useMemo, useState } from 'react';
import { kindOf, usualLanguage } from '../../cellLanguages.ts';
import type { CellModel, NotebookModel } from '../../model/index.ts';
import type { Attached } from '../attach.ts';
import { displayLines, isPicture, markdownLines, onlyTable, problemLines } from '../displays.ts';
import { type Picture, pictureOf } from '../graphics.ts';
import { highlighted } from '../highlight.ts';
import { type Line, line, noLine, plain, plainLines, type Span } from '../lines.ts';
import { pictureLines } from '../picture.ts';
import type { TablePage, ViewedServer } from '../server.ts';
import { tableLines } from '../tableText.ts';
import { rowsOfPage, type View } from '../view.ts';

export const noCell: readonly Line[] = [line('The notebook has no cells yet.', { dim: true })];

export function topLines(cell: CellModel, tab: View['top']): readonly Line[] {
  const source = tab === 'source' ? cell.source : cell.testSource;
  if (source.trim() === '') return [line(tab === 'source' ? '(empty)' : 'This cell has no tests.', { dim: true })];
  return highlighted(source, tab === 'source' ? cell.language : usualLanguage);
}

export function agentLines({ agentNotes }: NotebookModel): readonly Line[] {
  if (agentNotes.length === 0) return [line('No agent has said anything yet.', { dim: true })];
  return agentNotes.map(({ source, text, at }) => [
    { text: `${new Date(at).toTimeString().slice(0, 8)} `, dim: true },
    { text: source === 'mcp' ? '↹ ' : '✎ ', colour: 'cyan' },
    { text: plain(text) },
  ]);
}

const outcomes: Readonly<Record<string, Span>> = {
  passed: { text: '✓ ', colour: 'green' },
  failed: { text: '✗ ', colour: 'red' },
  error: { text: '⚠ ', colour: 'yellow' },
  skipped: { text: '○ ', colour: 'gray' },
};

export function resultLines({ tests }: CellModel): readonly Line[] {
  if (!tests) return [line('Its tests have not run yet.', { dim: true })];
  if (tests.pytest_unavailable)
    return [line('pytest is not in the environment of the notebook.', { colour: 'yellow' })];
  return tests.tests.flatMap(({ name, outcome, message }) => [
    [outcomes[outcome] ?? { text: `${outcome} ` }, { text: plain(name) }],
    ...(!message ? [] : plainLines(message).map((text) => line(`    ${text}`, { dim: true }))),
  ]);
}

export interface Output {
  readonly lines: readonly Line[];
  /** The last picture, where one was fetched that a terminal may be able to show. */
  readonly picture: Picture | null;
  /** The rows that are shown, where it is a table with pages. */
  readonly table: { readonly uri: string; readonly columns: readonly string[]; readonly page: TablePage | null } | null;
}

export interface OutputPlace {
  readonly server: ViewedServer;
  readonly attached: Attached;
  readonly width: number;
  readonly height: number;
  readonly hasColours: boolean;
}

export function useOutput(cell: CellModel | undefined, view: View, place: OutputPlace): Output {
  const { server, attached, width, height, hasColours } = place;
  const table = cell && !cell.problem ? onlyTable(cell) : null;
  const { offset, sort, column } = view.table;
  const page = useLoaded(
    cell && table ? [attached.sessionId(), cell.id, table.uri, offset, sort?.column, sort?.direction] : null,
    async () =>
      cell && table
        ? server.page({ sessionId: attached.sessionId(), cellId: cell.id, uri: table.uri, sort }, offset, rowsOfPage)
        : null,
  );
  const pictureAt = cell && !cell.problem ? cell.displays.findLastIndex(isPicture) : -1;
  const picture = useLoaded(
    cell && pictureAt >= 0 ? [attached.sessionId(), cell.id, cell.displays[pictureAt]?.artifact_uri ?? ''] : null,
    async () => (cell ? server.output(attached.sessionId(), cell.id, pictureAt) : null),
  );
  const whole = useMemo(() => (picture ? pictureOf(picture) : null), [picture]);
  const only = (lines: readonly Line[]): Output => ({ lines, picture: null, table: null });
  if (!cell) return only(noCell);
  if (cell.problem) return only(problemLines(cell));
  if (kindOf(cell.language) === 'text') return only(markdownLines(cell.source));
  if (cell.displays.length === 0) return only([line('It shows nothing.', { dim: true })]);
  if (table && page) {
    const marks = { focused: view.focus === 'bottom' ? column : -1, sorted: sort };
    const last = Math.min(page.total, offset + page.rows.length);
    const title = line(`${page.total === 0 ? 0 : offset + 1}–${last} of ${page.total} rows`, { dim: true });
    return {
      picture: null,
      lines: [title, ...tableLines(page.columns, page.rows, width, marks)],
      table: { uri: table.uri, columns: page.columns, page },
    };
  }
  const lines = cell.displays.flatMap((display, index) => {
    const drawn = index === pictureAt && picture ? pictureLines(picture, { width, height }, hasColours) : null;
    return [...(index === 0 ? [] : [noLine]), ...(drawn ?? displayLines(display, width))];
  });
  return { lines, picture: whole, table: null };
}

/** What a request gave; null until then, and when it failed: what is at hand is shown instead. */
function useLoaded<T>(key: readonly unknown[] | null, load: () => Promise<T | null>): T | null {
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly value: T | null } | null>(null);
  const wanted = key === null ? null : JSON.stringify(key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what the request depends on.
  useEffect(() => {
    if (wanted === null) return;
    let isWanted = true;
    load().then(
      (value) => isWanted && setLoaded({ key: wanted, value }),
      () => isWanted && setLoaded({ key: wanted, value: null }),
    );
    return () => {
      isWanted = false;
    };
  }, [wanted]);
  return loaded !== null && loaded.key === wanted ? loaded.value : null;
}
