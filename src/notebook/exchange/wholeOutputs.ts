// Cells with everything that they show: what was too large to come along with their record is read from where it is stored.
import { parseArtifactUri } from '../../artifacts/index.ts';
import { isChartType } from '../../charts.ts';
import { readOwnFile } from '../../files/index.ts';
import type { CellRecord } from '../../protocol/index.ts';
import type { LiveNotebook } from '../live/index.ts';

type Display = CellRecord['display_outputs'][number];

/** Of all outputs together: more is too much for any file that people send to each other, and for the memory of a server. */
const mostBytes = 32 * 1024 * 1024;

/** The first rows of a stored table. It may fail: then what was kept of the table is shown. */
export type TableBeginning = (
  file: string,
  limit: number,
) => Promise<{ readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }>;

export interface WholeOptions {
  readonly beginning: TableBeginning;
  /** How many rows of a table are wanted; what was kept beside the cell has at most 20. */
  readonly rows: number;
  /** Rows are fewer where they would take more. */
  readonly maxOutputBytes: number;
}

export async function wholeRecords(
  live: Pick<LiveNotebook, 'cellRecords' | 'blobPath'>,
  tables?: WholeOptions,
): Promise<CellRecord[]> {
  let left = mostBytes;
  const whole = async (display: Display): Promise<Display> => {
    const member = missingMember(display);
    const address = parseArtifactUri(String(display.artifact_uri ?? ''));
    if (address && tables && hasMoreRows(display, tables.rows))
      return withRows(display, live.blobPath(address), tables);
    const size = Number(display.bytes ?? 0);
    if (member === null || !address || size > left) return display;
    left -= size;
    const bytes = await readOwnFile(live.blobPath(address), mostBytes).catch(() => null); // it may have been collected
    if (bytes === null) return display;
    const text =
      member === 'inline_data_url'
        ? `data:${display.content_type};base64,${bytes.toString('base64')}`
        : bytes.toString('utf8');
    return { ...display, [member]: text };
  };
  return Promise.all(
    live
      .cellRecords()
      .map(async (cell) => ({ ...cell, display_outputs: await Promise.all(cell.display_outputs.map(whole)) })),
  );
}

const hasMoreRows = ({ content_type, preview, rows }: Display, wanted: number): boolean =>
  content_type === 'arrow/ipc' &&
  Array.isArray(preview) &&
  typeof rows === 'number' &&
  preview.length < Math.min(rows, wanted);

async function withRows(
  display: Display,
  file: string,
  { beginning, rows, maxOutputBytes }: WholeOptions,
): Promise<Display> {
  const found = await beginning(file, rows).catch(() => null); // the data process may not be there yet
  if (found === null) return display;
  let preview = found.rows;
  while (preview.length > 1 && JSON.stringify(preview).length > maxOutputBytes)
    preview = preview.slice(0, preview.length / 2);
  return { ...display, columns: found.columns, preview };
}

function missingMember(display: Display): 'inline_data_url' | 'markdown_text' | 'inline_text' | null {
  const { content_type: type } = display;
  const member =
    type === 'text/markdown'
      ? 'markdown_text'
      : type.startsWith('image/') && type !== 'image/svg+xml'
        ? 'inline_data_url'
        : 'inline_text';
  const isRich = /^(text|image)\//.test(type) || isChartType(type);
  return isRich && typeof display[member] !== 'string' ? member : null;
}
