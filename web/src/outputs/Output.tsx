// One display of a cell, by its content type. What needs a heavy library is loaded when it is first shown.
import { lazy, memo, Suspense } from 'react';
import { isChartType } from '../../../src/charts.ts';
import { hostsNeeded } from '../../../src/elsewhere.ts';
import type { DisplayRecord } from '../../../src/protocol/index.ts';
import { widgetType } from '../../../src/widgetType.ts';
import { blobAddress } from '../api/index.ts';
import { uniqueNames } from '../grid/uniqueNames.ts';
import type { Preview } from '../grid/usePages.ts';
import { Guard, Message } from '../ui/index.ts';
import { JsonTree } from './JsonTree.tsx';
import { Markdown } from './Markdown.tsx';
import { Stored, TooLarge } from './Stored.tsx';
import './output.css';

const Grid = lazy(() => import('../grid/Grid.tsx').then((room) => ({ default: room.Grid })));
const StoredTable = lazy(() => import('../grid/StoredTable.tsx').then((room) => ({ default: room.StoredTable })));
const Frame = lazy(() => import('./Frame.tsx').then((room) => ({ default: room.Frame })));
const Latex = lazy(() => import('./Latex.tsx').then((room) => ({ default: room.Latex })));
const Widgets = lazy(() => import('./Widgets.tsx').then((room) => ({ default: room.Widgets })));
const Chart = lazy(() => import('./Chart.tsx').then((room) => ({ default: room.Chart })));

export interface OutputProps {
  readonly display: DisplayRecord;
  /** Where the rows that a query's Markdown is the beginning of are stored; null where none are. */
  readonly table?: string | null;
  /** Its place among what the cell shows now; null for an earlier result, of which only what came along can be shown. */
  readonly index: number | null;
  readonly cellId: string;
  readonly sessionId: string;
}

export const Output = memo(function Output(props: OutputProps) {
  return (
    <div className="output">
      <Guard what="This output">
        <Suspense fallback={<p className="quiet">Loading …</p>}>{shown(props)}</Suspense>
      </Guard>
    </div>
  );
});

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function shown({ display, table = null, index, cellId, sessionId }: OutputProps) {
  const { content_type: type, preview } = display;
  const inline = text(display.inline_text);
  const bytes = index === null || text(display.artifact_uri) === null ? null : blobAddress(sessionId, cellId, index);
  const stored = { inline, address: bytes, bytes: typeof display.bytes === 'number' ? display.bytes : 0 };
  switch (type) {
    case 'image/png':
    case 'image/jpeg':
    case 'image/gif':
      return <Picture display={display} source={text(display.inline_data_url) ?? bytes ?? ''} />;
    case 'image/svg+xml':
      return (
        <Stored {...stored}>
          {(svg) => (
            <Picture display={display} source={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`} />
          )}
        </Stored>
      );
    case 'text/markdown': {
      const written = <Markdown text={text(display.markdown_text) ?? text(preview) ?? ''} />;
      return table === null ? (
        written
      ) : (
        <Suspense fallback={written}>
          <StoredTable key={table} sessionId={sessionId} cellId={cellId} uri={table} instead={written} />
        </Suspense>
      );
    }
    case 'text/latex':
      return <Latex source={inline ?? ''} />;
    case 'text/html':
      return <Stored {...stored}>{(html) => <Frame html={html} hosts={hostsNeeded(html)} download={bytes} />}</Stored>;
    case widgetType:
      return <Stored {...stored}>{(json) => <Widgets json={json} cellId={cellId} download={bytes} />}</Stored>;
    case 'arrow/ipc':
      return Array.isArray(display.columns) && text(display.artifact_uri) !== null ? (
        <Grid
          key={display.artifact_uri}
          preview={previewOf(display)}
          sessionId={sessionId}
          cellId={cellId}
          uri={display.artifact_uri ?? ''}
          {...(index === null ? {} : { seenAs: `${cellId} ${index}` })}
        />
      ) : (
        <Plain value={text(display.text) ?? preview} />
      );
    case 'json/object':
      return text(display.text) === null ? (
        <Json value={preview} isCut={display.preview_truncated === true} address={bytes} />
      ) : (
        <Plain value={text(display.text)} />
      );
    case 'error':
      return (
        <Message tone="error">This value cannot be shown: {text(display.error) ?? 'it could not be stored'}</Message>
      );
    default:
      if (isChartType(type)) return <Stored {...stored}>{(json) => <Chart type={type} json={json} />}</Stored>;
      return <Plain value={text(display.text) ?? inline ?? preview} />;
  }
}

function previewOf(display: DisplayRecord): Preview {
  const columns = Array.isArray(display.columns) ? uniqueNames(display.columns.map(String)) : [];
  const rows = Array.isArray(display.preview)
    ? display.preview.filter((row): row is unknown[] => Array.isArray(row))
    : [];
  const indexColumns = typeof display.index_columns === 'number' ? display.index_columns : 0;
  return { columns, rows, total: typeof display.rows === 'number' ? display.rows : rows.length, indexColumns };
}

function Picture({ display, source }: { display: DisplayRecord; source: string }) {
  const width = typeof display.width === 'number' ? display.width : undefined;
  const height = typeof display.height === 'number' ? display.height : undefined;
  const look = display.follows_theme === true ? 'picture ink' : 'picture';
  return <img className={look} src={source} width={width} height={height} alt="Output of the cell" />;
}

function Plain({ value }: { value: unknown }) {
  return <pre className="plain">{typeof value === 'string' ? value : JSON.stringify(value)}</pre>;
}

function Json({ value, isCut, address }: { value: unknown; isCut: boolean; address: string | null }) {
  return (
    <>
      {typeof value === 'object' && value !== null ? <JsonTree value={value} /> : <Plain value={value} />}
      {isCut && <TooLarge address={address} />}
    </>
  );
}
