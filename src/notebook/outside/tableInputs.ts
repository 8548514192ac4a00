// `@table`: an Iceberg table as an input. The cell gets its address and the snapshot that is current now; what it scans itself
// is then always the same rows, and another snapshot is another result.
import { randomUUID } from 'node:crypto';
import { Refusal } from '../../errors/index.ts';
import type { TableAnnotation } from '../annotations/index.ts';
import { CellRefused } from '../languages/index.ts';
import type { Found, OutsideReader } from './outside.ts';

export interface TableInputParts {
  readonly read: (uri: string, pin: string | null) => Promise<TableRead>;
}

/** What a scan of a table would read. */
export interface TableRead {
  /** Null for a table without any. */
  readonly snapshot: string | null;
  readonly bytes: number;
  /** By which its catalog is opened; null when it names none. */
  readonly credential: string | null;
}

export function tableReader({ read }: TableInputParts): OutsideReader {
  async function find(table: TableAnnotation): Promise<Found[]> {
    const { name, uri, snapshotPin } = table;
    const pin = snapshotPin === null ? null : String(snapshotPin);
    const { snapshot, bytes, credential } = await read(uri, pin).catch((error: unknown) => {
      if (error instanceof Refusal)
        throw refused(table, typeof error.detail === 'string' ? error.detail : JSON.stringify(error.detail));
      throw error;
    });
    // An empty table has nothing to be told by: its result is never found again.
    const state = snapshot ?? randomUUID();
    return [
      {
        name,
        fingerprint: `${name}:table:${uri}:${state}`,
        input: inline(JSON.stringify(uri)),
        far: { kind: 'table', name, uri, credential, bytes, cached_bytes: null },
        lineage: { [uri]: `snapshot:${snapshot}` },
      },
      { name: `${name}_snapshot`, fingerprint: '', input: inline(snapshot ?? 'null') },
    ];
  }

  return {
    asks: ({ annotations: { tables } }) =>
      tables.length === 0
        ? null
        : JSON.stringify(tables.map(({ name, uri, snapshotPin }) => [name, uri, String(snapshotPin)])),
    async look({ annotations: { tables } }, { mayAsk }) {
      if (!mayAsk && tables.some(({ snapshotPin }) => snapshotPin === null)) return undefined;
      const twice = tables.find(({ name }, at) => tables.findIndex((other) => other.name === name) !== at);
      if (twice) throw refused(twice, 'two tables have this name');
      return (await Promise.all(tables.map(find))).flat();
    },
  };
}

/** A value that is given as text: snapshot ids have 64 bits. */
const inline = (json: string) => ({ contentType: 'json/inline', file: json });

const refused = ({ name }: TableAnnotation, reason: string): CellRefused =>
  new CellRefused('TableUnreachable', `@table ${name}: could not resolve a snapshot: ${reason}`);
