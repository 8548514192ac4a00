// How long an engine waits for its process before it acts. One place, so that tests and servers may differ.

export interface EngineLimits {
  /** From the start of the process to its `ready`. */
  readonly startTimeoutMs: number;
  /** For a request that names no limit of its own; counted from the moment the process is given the request. */
  readonly requestTimeoutMs: number;
  /** How long the process may go on with a request whose caller has gone, before it is ended. */
  readonly cancelGraceMs: number;
  /** How long a closed process may take to end by itself. */
  readonly closeGraceMs: number;
  /** Failed starts in a row after which waiting requests are refused. */
  readonly maxFailedStarts: number;
  /** The pause after the first failed start; it doubles each time. */
  readonly backOffMs: number;
  /** After giving up: how long requests are refused at once before another start is tried. */
  readonly restAfterFailureMs: number;
}

export const DEFAULT_LIMITS: EngineLimits = {
  startTimeoutMs: 20_000,
  requestTimeoutMs: 30_000,
  cancelGraceMs: 500,
  closeGraceMs: 2_000,
  maxFailedStarts: 4,
  backOffMs: 100,
  restAfterFailureMs: 5_000,
};
