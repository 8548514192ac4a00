// Cells with everything that they show: what was too large to come along with their record is read from where it is stored.
import { parseArtifactUri } from '../../artifacts/index.ts';
import { isChartType } from '../../charts.ts';
import { readOwnFile } from '../../files/index.ts';
import type { CellRecord } from '../../protocol/index.ts';
import type { LiveNotebook } from '../live/index.ts';

type Display = CellRecord['display_outputs'][number];

const mebibyte = 1024 * 1024;

/** Of all outputs together: more is too much for any file that people send to each other, and for the memory of a server. */
const mostBytes = 32 * mebibyte;

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
    if (member === null || typeof display.error === 'string') return display;
    const size = Number(display.bytes ?? 0);
    if (address && size > left) return tooMuch(display, size);
    left -= size;
    const bytes = address && (await readOwnFile(live.blobPath(address), mostBytes).catch(() => null)); // it may have been collected
    if (!bytes) return gone(display);
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

/** What is not there is told in its place: an output that is missing without a word looks like one that was empty. */
const tooMuch = (display: Display, size: number): Display => ({
  ...display,
  error: `Left out of this file: an output of ${inMebibytes(size)} MiB (${display.content_type}), since all outputs together may take ${inMebibytes(mostBytes)} MiB. The notebook shows it, and a snapshot of the notebook holds it.`,
});

const gone = (display: Display): Display => ({
  ...display,
  error: `Left out of this file: an output (${display.content_type}) whose bytes are not kept any more. Run the cell again, then export again.`,
});

const inMebibytes = (bytes: number): number => Math.round((bytes / mebibyte) * 10) / 10;

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
  const hasIt = [display[member], display.inline_data_url].some((held) => typeof held === 'string');
  return isRich && !hasIt ? member : null;
}
