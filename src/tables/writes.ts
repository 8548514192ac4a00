// Writing rows to tables: what notebooks, promotion and export do with their results. The table is made where it is missing; one that
// this service did not make is never overwritten.
import { mkdir } from 'node:fs/promises';
import { refusals } from '../errors/index.ts';
import type { Settings } from '../settings/index.ts';
import { isObjectStore, type TableAddress } from '../tableAddress.ts';
import type { Catalogs } from './catalogs/catalogs.ts';
import { type Asks, isTimeout, meaningOf, writeRows } from './engine.ts';

export interface TableWrite {
  /** As it was checked. */
  readonly address: TableAddress;
  /** A file that holds one Arrow stream. */
  readonly source: string;
  readonly mode: 'append' | 'overwrite' | 'merge';
  /** The columns that rows are matched by; only to merge. */
  readonly on?: readonly string[];
  /** Whose table it has to be; empty for no one's in particular. */
  readonly tenant: string;
  /** Written with the snapshot: `svc.artifact_id` and the like. */
  readonly summary: Readonly<Record<string, string>>;
  /** Points at the new snapshot afterwards. */
  readonly tag?: string | null;
  /** Makes the folder of a local warehouse where it is missing. */
  readonly makeWarehouse?: boolean;
}

/** What a snapshot says about the artifact whose rows it holds. */
export const exportSummary = (
  artifact: {
    readonly id: string;
    readonly version: number;
    readonly provenanceHash: string;
    readonly tenant: string;
  },
  promotedBy: string,
): Readonly<Record<string, string>> => ({
  'svc.artifact_id': artifact.id,
  'svc.version': String(artifact.version),
  'svc.provenance_hash': artifact.provenanceHash,
  'svc.promoted_by': promotedBy,
  'svc.tenant': artifact.tenant,
});

export interface Writes {
  write(write: TableWrite): Promise<{ readonly snapshotId: string | null; readonly created: boolean }>;
}

export function createWrites(settings: Settings, catalogs: Catalogs, engine: () => Asks): Writes {
  return {
    async write({ address, on = [], tag = null, makeWarehouse = false, ...rows }) {
      const { warehouse, namespace, table } = address;
      if (makeWarehouse && warehouse !== null && !isObjectStore(warehouse)) await mkdir(warehouse, { recursive: true });
      const catalog = catalogs.of(address);
      const { mode, source, tenant, summary } = rows;
      const foreign = settings.notebookTableWritesForeign;
      const sent = { mode, source, tenant, summary, on, foreign, tag };
      try {
        return await writeRows(engine(), catalog, { namespace, table }, sent, {
          timeoutMs: settings.scanTimeoutSeconds * 1000,
        });
      } catch (error) {
        throw isTimeout(error) ? refusals.scanTimedOut(settings.scanTimeoutSeconds) : meaningOf(error, address.uri);
      }
    },
  };
}
