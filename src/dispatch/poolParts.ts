// What the pool is made of, and how a cell and its worker may part.
import type { Log } from '../observability/index.ts';
import type { Cell, SavedEnding } from './cell.ts';
import type { ClusterEngine, JobLoss, Resources } from './engine.ts';
import type { Link } from './link.ts';
import type { Reach } from './reach.ts';
import type { Spool } from './spool.ts';

export interface PoolOptions {
  /** Of a worker for a cell that asks for nothing. */
  readonly resources: Resources;
  readonly maxWorkers: number | null;
  readonly idleSeconds: number;
  readonly startSeconds: number;
  readonly lookSeconds: number;
}

export interface PoolParts {
  readonly engine: ClusterEngine;
  readonly link: Link;
  readonly reach: Reach;
  readonly spool: Spool;
  readonly options: PoolOptions;
  readonly log: Log;
  readonly onEnded: (cell: Cell, ending: SavedEnding) => void;
  readonly onWorker: (name: string) => void;
}

/** A limit would be met again. */
export const isWorthIt = ({ kind }: JobLoss): boolean => kind === 'taken' || kind === 'broken';

/** Why nobody goes on with a cell on its worker. */
export class Lost extends Error {
  readonly loss: JobLoss;
  constructor(loss: JobLoss) {
    super(loss.reason);
    this.loss = loss;
  }
}

export class Cancelled extends Error {}
