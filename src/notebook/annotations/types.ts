// Everything a cell's annotations can say, as one record. What a source does not say is null, false or empty.
import type { Mount } from '../document/index.ts';
import type { ResourceAnnotation } from './resources.ts';

export interface TableAnnotation {
  readonly name: string;
  readonly uri: string;
  /** Snapshot ids have 64 bits. */
  readonly snapshotPin: bigint | null;
}

export interface WriteTableAnnotation {
  readonly variable: string;
  readonly table: string;
  readonly mode: 'append' | 'overwrite' | 'merge';
  /** Key columns of a merge. */
  readonly on: readonly string[];
}

export interface FetchAnnotation {
  readonly name: string;
  readonly url: string;
  readonly sha256: string | null;
  readonly refetch: 'never' | 'stale' | 'always';
}

export interface DatasetAnnotation {
  readonly variable: string;
  readonly registryName: string;
  readonly alias: string | null;
  readonly version: number | null;
}

export interface LoopAnnotation {
  readonly maxIter: number;
  readonly carry: string;
  readonly untilExpr: string | null;
  readonly startFromCell: string | null;
  readonly startFromIter: number | null;
}

export type CachePolicy =
  | { readonly kind: 'fingerprint' | 'forever' | 'session' | 'snapshot' }
  | { readonly kind: 'ttl'; readonly seconds: number };

export interface PromptAnnotations {
  readonly model: string | null;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly system: string | null;
  readonly output: string | null;
  /** As written; it may not be a JSON object. */
  readonly outputSchema: string | null;
  readonly validateRetries: number | null;
}

export interface Annotations {
  readonly name: string | null;
  readonly worker: string | null;
  readonly timeout: number | null;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly tables: readonly TableAnnotation[];
  readonly writeTables: readonly WriteTableAnnotation[];
  readonly outputDirs: readonly string[];
  readonly fetches: readonly FetchAnnotation[];
  readonly datasets: readonly DatasetAnnotation[];
  readonly nocache: boolean;
  readonly after: readonly string[];
  readonly loop: LoopAnnotation | null;
  readonly variant: { readonly group: string; readonly name: string } | null;
  readonly perVariant: { readonly group: string | null } | null;
  readonly live: boolean;
  readonly sql: { readonly connection: string | null; readonly write: boolean } | null;
  readonly cache: CachePolicy | null;
  readonly prompt: PromptAnnotations;
  /** Asked of a cluster. */
  readonly resources: ResourceAnnotation | null;
  /** How often a cluster that lost the cell may run it anew. */
  readonly retry: number;
}
