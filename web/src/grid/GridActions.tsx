// From a table to a new cell below it: a query of what is seen, a chart of the columns that were chosen.
import { useContext } from 'react';
import { messageOf, readPage, type TablePlace, type TableQuery } from '../api/index.ts';
import { NotebookContext } from '../notebook/context.ts';
import { runCell } from '../notebook/running.ts';
import type { NotebookSession } from '../notebook/session.ts';
import { addCell, queryOn } from '../notebook/structure.ts';
import { textOf } from '../state/index.ts';
import { Button } from '../ui/index.ts';
import type { Drawn } from './GridRow.tsx';
import { chartText, type Field, likely, queryText, tableName } from './newCells.ts';

interface ActionProps {
  readonly place: TablePlace;
  readonly query: TableQuery;
  readonly columns: readonly Drawn[];
  readonly chosen: readonly Drawn[];
}

export function GridActions(props: ActionProps) {
  const session = useContext(NotebookContext);
  return session === null || session.isReadOnly ? null : <Actions {...props} session={session} />;
}

const unnamed = 'Give the table a name: end its cell with a line that holds the name alone';

function Actions({ place, query, columns, chosen, session }: ActionProps & { session: NotebookSession }) {
  const { cellId } = place;
  /** Looked at when it is pressed: the cell may have been edited since. */
  function nameNow(): string | null {
    const cell = session.store.get().cells.get(cellId);
    const name = cell ? tableName({ ...cell, source: textOf(session.store.get(), cellId) }) : null;
    if (name === null) session.store.send({ kind: 'noticed', text: `${unnamed}.`, tone: 'plain' });
    return name;
  }
  async function addAndRun(after: string, language: 'python' | 'sql', source: string): Promise<void> {
    // Whatever is selected by now: somebody may have gone on meanwhile.
    const added = await addCell(session, after, language, source, 'command');
    if (added !== undefined) runCell(session, added);
  }
  async function told(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      session.store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' }),
    );
  }
  async function queryOf(name: string): Promise<string> {
    const start = await queryOn(session, 'duckdb');
    return `${start}# @name ${name}_rows\n${queryText(name, query, columns)}\n`;
  }
  async function openQuery(): Promise<void> {
    const name = nameNow();
    if (name !== null) await addAndRun(cellId, 'sql', await queryOf(name));
  }
  /** The cell that holds the rows that are seen: one that asks for them is there, or is made. */
  async function cellOfRows(name: string): Promise<string | undefined> {
    const text = await queryOf(name);
    const model = session.store.get();
    const there = model.order.find((id) => textOf(model, id) === text);
    return there ?? addCell(session, cellId, 'sql', text, 'command');
  }
  async function chart(): Promise<void> {
    const name = nameNow();
    if (name === null) return;
    const { labels } = await readPage(place, query, 0, 1);
    const wanted: readonly Field[] = chosen.filter(({ at, isIndex }) => at !== null && !isIndex);
    const fields = wanted.length > 0 ? wanted : likely(columns.filter(({ isIndex }) => !isIndex));
    const isNarrowed = query.search !== '' || query.filters.length > 0;
    const [table, source] = isNarrowed ? [`${name}_rows`, 'pyarrow.Table'] : [name, labels.source ?? ''];
    const text = labels.levels.length > 1 ? null : chartText(table, source, fields);
    if (text === null) {
      const reason =
        'These columns cannot be drawn: choose columns of numbers, dates or categories with one label each.';
      session.store.send({ kind: 'noticed', text: reason, tone: 'plain' });
      return;
    }
    const above = isNarrowed ? await cellOfRows(name) : cellId;
    if (above !== undefined) await addAndRun(above, 'python', text);
  }
  return (
    <>
      <Button look="quiet" title="A new cell with a query of these rows" onClick={() => void told(openQuery)}>
        Open as SQL cell
      </Button>
      <Button look="quiet" title="A new cell with a chart of the chosen columns" onClick={() => void told(chart)}>
        Chart this
      </Button>
    </>
  );
}
