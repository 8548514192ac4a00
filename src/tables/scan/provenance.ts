// The key of a scan's result: equal keys, equal rows. Tenant, name and the spelling of the address are no part of it.
import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson } from '../../artifacts/index.ts';
import type { Filter } from './request.ts';

export interface ScanFacts {
  /** `catalog.namespace.table`. */
  readonly identity: string;
  readonly snapshotId: string;
  readonly schemaId: number;
  readonly reading: string;
  readonly columns: readonly string[];
  readonly filters: readonly Filter[];
}

export function scanProvenance({ identity, snapshotId, schemaId, reading, columns, filters }: ScanFacts): string {
  const chosen = columns.length === 0 ? '*' : `[${columns.map(quoted).join(', ')}]`;
  return createHash('sha256')
    .update(`table:${identity}@${snapshotId}schema:${schemaId}reading:${reading}executor:scan@v1`)
    .update(`columns:${chosen}filters:${filterFingerprint(filters)}`)
    .digest('hex');
}

/** The result of a table without snapshots is never found again. */
export const emptyProvenance = (): string => createHash('sha256').update(`empty:${randomUUID()}`).digest('hex');

/** How a recorded input names the state of the table that was read. */
export const tableVersion = ({
  snapshotId,
  schemaId,
  reading,
}: Pick<ScanFacts, 'schemaId' | 'reading'> & { readonly snapshotId: string | null }): string =>
  snapshotId === null
    ? `empty:${randomUUID().replaceAll('-', '')}:${schemaId}`
    : `${snapshotId}:${schemaId}:${reading}`;

/** The order of filters does not matter. */
export function filterFingerprint(filters: readonly Filter[]): string {
  if (filters.length === 0) return 'nofilter';
  const sorted = filters
    .map((filter) => ({ filter, text: canonicalJson({ ...filter }) }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.text), Buffer.from(b.text)));
  const members = sorted.map(
    ({ filter: { column, op, value } }) =>
      `{"column":${canonicalJson(column)},"op":${canonicalJson(op)},"value":${canonicalJson(value)}}`,
  );
  return createHash('md5')
    .update(`[${members.join(',')}]`)
    .digest('hex')
    .slice(0, 16);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text as a Python literal, which is how the peers of this service write lists of columns. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = [...text].map((character) => {
    if (character === quote) return `\\${quote}`;
    const known = escapes[character];
    if (known !== undefined) return known;
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 || code === 0x7f ? `\\x${code.toString(16).padStart(2, '0')}` : character;
  });
  return `${quote}${inner.join('')}${quote}`;
}
