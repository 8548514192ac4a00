// A build: one transform on its way to a version. Its row outlives the process that works on it; whoever holds its lease
// may finish it, and a lease that lapses is anybody's.
import type { ArtifactAddress } from '../artifacts/index.ts';

export const buildStates = ['pending', 'building', 'ready', 'failed'] as const;
export type BuildState = (typeof buildStates)[number];

/** The right to finish a build. Renewing it changes its end, so that whoever holds an older one holds none. */
export interface Lease {
  readonly owner: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

export interface BuildFailure {
  readonly code: string;
  readonly message: string;
}

export interface Build {
  readonly id: string;
  /** The version that it makes; another one's once a duplicate has come first. */
  readonly target: ArtifactAddress;
  readonly executor: string;
  readonly state: BuildState;
  /** Whose result it is: the store's word for a tenant, empty for none. */
  readonly tenant: string;
  /** Whose places, cache and quota it uses: `_default` for none. */
  readonly pool: string;
  readonly principal: string | null;
  /** Points at the result once it is there. */
  readonly name: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly failure: BuildFailure | null;
  readonly lease: Lease | null;
  readonly attempts: number;
}

/** A build that cannot succeed, with the code that clients know it by. */
export class BuildProblem extends Error {
  override readonly name = 'BuildProblem';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Somebody else holds the build now, or it is over: whatever was computed is not wanted. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  override readonly message = 'The build is no longer held by whoever worked on it.';
}

export const longestMessage = 500;

export const shortMessage = (message: string): string =>
  message.length > longestMessage ? `${message.slice(0, longestMessage)}...` : message;
