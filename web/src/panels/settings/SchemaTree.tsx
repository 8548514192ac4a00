// What a database holds: its tables, their columns, their first rows, and a query that is put into the notebook.
import { useState } from 'react';
import type { TablePreviewBody } from '../../../../src/protocol/index.ts';
import { type DatabaseTable, messageOf, previewTable, readSchema } from '../../api/index.ts';
import { useNotebook } from '../../notebook/context.ts';
import { useObjection } from '../../notebook/rights.ts';
import { addCell } from '../../notebook/structure.ts';
import { Button, Icon, Message, Progress } from '../../ui/index.ts';
import { queryFor } from './queryFor.ts';

type Loaded<Value> = { readonly value: Value } | { readonly problem: string } | 'loading' | null;

const shownTables = 200;

export function SchemaTree({ connection, driver }: { connection: string; driver: string }) {
  const { sessionId } = useNotebook();
  const [tables, setTables] = useState<Loaded<readonly DatabaseTable[]>>(null);
  async function look(): Promise<void> {
    setTables('loading');
    try {
      setTables({ value: (await readSchema(sessionId, connection)).tables });
    } catch (error) {
      setTables({ problem: messageOf(error) });
    }
  }
  const found = tables !== null && typeof tables === 'object' && 'value' in tables ? tables.value : null;
  return (
    <section className="schema" aria-label={`Tables of ${connection}`}>
      <div className="schema-head">
        <h4>Tables of {connection}</h4>
        <Button look="quiet" disabled={tables === 'loading'} onClick={() => void look()}>
          {tables === null ? 'Show tables' : 'Refresh'}
        </Button>
      </div>
      {tables === 'loading' && <Progress value={null} label={`Asking ${connection}`} />}
      {tables !== null && typeof tables === 'object' && 'problem' in tables && (
        <Message tone="error">{tables.problem}</Message>
      )}
      {found?.length === 0 && <p className="panel-note">No tables yet.</p>}
      <ul className="schema-tables">
        {found?.slice(0, shownTables).map((table) => (
          <Table
            key={[table.catalog, table.schema, table.name].join('.')}
            connection={connection}
            driver={driver}
            table={table}
          />
        ))}
      </ul>
      {found && found.length > shownTables && (
        <p className="panel-note">{found.length - shownTables} more tables: SQL cells complete their names.</p>
      )}
    </section>
  );
}

function Table({ connection, driver, table }: { connection: string; driver: string; table: DatabaseTable }) {
  const session = useNotebook();
  const [isOpen, setOpen] = useState(false);
  const objection = useObjection('notebook:execute');
  const [preview, setPreview] = useState<Loaded<TablePreviewBody>>(null);
  const title = table.schema === null || table.schema === 'main' ? table.name : `${table.schema}.${table.name}`;
  async function look(): Promise<void> {
    setPreview('loading');
    try {
      setPreview({ value: await previewTable(session.sessionId, connection, table) });
    } catch (error) {
      setPreview({ problem: messageOf(error) });
    }
  }
  const insert = (): void => {
    const { order } = session.store.get();
    const after = session.view.get().selected ?? order.at(-1) ?? null;
    void addCell(session, after, 'sql', queryFor(connection, driver, table), 'command');
  };
  return (
    <li>
      <button type="button" className="entry-name" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="chevron" size={12} />
        <span>{title}</span>
        <small>{table.columns.length === 1 ? '1 column' : `${table.columns.length} columns`}</small>
      </button>
      {isOpen && (
        <>
          <ul className="schema-columns" aria-label={`Columns of ${title}`}>
            {table.columns.map(({ name, type, nullable }) => (
              <li key={name}>
                <code>{name}</code>
                <small>
                  {type.toLowerCase()}
                  {nullable ? '' : ', never null'}
                </small>
              </li>
            ))}
          </ul>
          <div className="setting-ways">
            <Button
              title={objection ?? undefined}
              disabled={objection !== null || preview === 'loading'}
              onClick={() => void look()}
            >
              Preview rows
            </Button>
            {!session.isReadOnly && <Button onClick={insert}>Insert query</Button>}
          </div>
          {preview === 'loading' && <Progress value={null} label={`Reading ${title}`} />}
          {preview !== null && typeof preview === 'object' && 'problem' in preview && (
            <Message tone="error">{preview.problem}</Message>
          )}
          {preview !== null && typeof preview === 'object' && 'value' in preview && (
            <Rows title={title} preview={preview.value} />
          )}
        </>
      )}
    </li>
  );
}

function Rows({ title, preview: { columns, rows } }: { title: string; preview: TablePreviewBody }) {
  if (rows.length === 0) return <p className="panel-note">No rows.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the arrow keys
    <section className="schema-rows" aria-label={`First rows of ${title}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, type }) => (
              <th key={name} scope="col" title={type}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a table have no other name
            <tr key={at}>
              {row.map((value, column) => (
                <td key={columns[column]?.name}>{value === null ? <em>null</em> : value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
