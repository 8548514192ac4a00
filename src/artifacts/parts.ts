// What the operations of the store share: where rows, bytes and arriving bytes are, and the clock.
import type { Database } from '../database/index.ts';
import type { Blobs } from './blobs/blobs.ts';
import type { Staging } from './staging.ts';

export interface StoreParts {
  readonly database: Database;
  readonly blobs: Blobs;
  readonly staging: Staging;
  /** Seconds since 1970. */
  readonly now: () => number;
}
