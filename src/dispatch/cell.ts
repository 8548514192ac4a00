// One cell that a server handed to the dispatcher, as far as it has to be known to find it a place.
import type { WatchedJob } from '../worker/jobs.ts';
import type { Resources } from './engine.ts';

export const cellRoutes = ['/v1/execute', '/v1/notebook-execute', '/v1/execute-manifest'] as const;
export type CellRoute = (typeof cellRoutes)[number];

export interface CellOrder {
  readonly route: CellRoute;
  readonly contentType: string;
  readonly buildId: string;
  /** Somebody waits for it in front of a page. */
  readonly isInteractive: boolean;
  /** The key of the environment that it brings; null: the worker's own. */
  readonly environment: string | null;
  readonly resources: Resources;
  readonly timeoutSeconds: number;
  /** How often it may be run anew. */
  readonly retry: number;
}

/** What is kept of it on disk. */
export interface CellNote {
  readonly id: string;
  readonly order: CellOrder;
  readonly receivedAt: number;
  /** The worker that it was handed to; null while it waits. */
  readonly worker: string | null;
  /** How often it was lost with its worker. */
  readonly losses: number;
  readonly ending: SavedEnding | null;
}

export type SavedEnding =
  | { readonly kind: 'bundle'; readonly size: number }
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly status: number; readonly error: string };

export interface Cell {
  note: CellNote;
  readonly job: WatchedJob;
  /** Workers that were to take it and did not come. */
  failedStarts: number;
  askedAt: number;
}

/** What workers have in common that can take each other's place. */
export const shapeOf = ({ cpus, memoryBytes, gpus, seconds, custom }: Resources): string =>
  JSON.stringify([cpus, memoryBytes, gpus, seconds, Object.entries(custom).sort()]);
