// What the steps of a loop carried: of the run that is under way or was cut short, else of the last complete one.
import { type ArtifactStore, parseArtifactUri } from '../../artifacts/index.ts';
import type { IterationRecord } from '../../protocol/index.ts';
import type { IterationEvent } from '../run/index.ts';
import type { StoredValue } from '../state/index.ts';

export interface Iterations {
  progress(cellId: string, event: IterationEvent): void;
  records(cellId: string, complete: readonly StoredValue[] | undefined): Promise<IterationRecord[]>;
}

export function createIterations(store: Pick<ArtifactStore, 'get'>): Iterations {
  const newest = new Map<string, StoredValue[]>();

  async function record(value: StoredValue, iteration: number): Promise<IterationRecord[]> {
    const address = parseArtifactUri(value.uri);
    const version = address && (await store.get(address));
    if (!version) return [];
    return [
      {
        iteration,
        artifact_uri: value.uri,
        artifact_id: version.id,
        version: version.version,
        content_type: value.contentType,
        byte_size: version.byteSize,
        row_count: version.rowCount,
        created_at: version.createdAt,
      },
    ];
  }

  return {
    progress(cellId, { iteration, value }) {
      newest.set(cellId, [...(newest.get(cellId) ?? []).slice(0, iteration), value]);
    },
    async records(cellId, complete = []) {
      return (await Promise.all((newest.get(cellId) ?? complete).map(record))).flat();
    },
  };
}
