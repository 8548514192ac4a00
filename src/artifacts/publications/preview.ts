// The beginning of a result, as far as a page can show it. Read from the front of the bytes and never beyond a bound.
import type { Blob } from '../blobs/blobs.ts';
import type { Preview } from './page.ts';
import type { Story } from './story.ts';

const imageBytes = 4 * 1024 * 1024;
const textBytes = 64 * 1024;
const tableBytes = 4 * 1024 * 1024;
const shownRows = 20;
const longestCell = 120;

export async function previewOf({ contentType, version }: Story, blob: Blob | undefined): Promise<Preview> {
  if (!blob) return { kind: 'none' };
  switch (contentType) {
    case 'image/png': {
      if (blob.byteSize > imageBytes) return { kind: 'none' };
      return { kind: 'image', dataUrl: `data:image/png;base64,${(await head(blob, imageBytes)).toString('base64')}` };
    }
    case 'text/markdown':
    case 'json/object':
      return { kind: 'text', text: (await head(blob, textBytes)).toString(), cut: blob.byteSize > textBytes };
    case 'arrow/ipc':
      return blob.byteSize > tableBytes ? { kind: 'none' } : tableOf(await head(blob, tableBytes), version.rowCount);
    default:
      return { kind: 'none' };
  }
}

async function head(blob: Blob, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of await blob.read()) {
    pieces.push(piece);
    length += piece.length;
    if (length >= limit) break;
  }
  return Buffer.concat(pieces).subarray(0, limit);
}

/** What a page cannot read it leaves out: the data itself can still be downloaded. */
async function tableOf(bytes: Buffer, total: number | null): Promise<Preview> {
  const { tableFromIPC } = await import('@uwdata/flechette');
  try {
    const table = tableFromIPC(bytes, { useBigInt: true, useDate: true });
    const columns = table.schema.fields.map(({ name }) => name);
    const rows = Array.from({ length: Math.min(shownRows, table.numRows) }, (_, row) =>
      columns.map((_name, column) => cellText(table.getChildAt(column)?.at(row))),
    );
    return { kind: 'table', columns, rows, total: total ?? table.numRows };
  } catch {
    return { kind: 'none' };
  }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text =
    value instanceof Date
      ? value.toISOString()
      : typeof value === 'object'
        ? JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? String(member) : member))
        : String(value);
  return text.length > longestCell ? `${text.slice(0, longestCell)}…` : text;
}
