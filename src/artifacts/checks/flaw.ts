// Something in a store or a notebook that is not as it always should be.
export interface Flaw {
  /** `problem`: something is lost or wrong. `warning`: nothing is lost, and something lies there for nothing. */
  readonly level: 'warning' | 'problem';
  readonly code: string;
  /** What it is about: a version, a name, a file. */
  readonly where: string;
  readonly found: string;
  /** What to do about it, in one sentence. */
  readonly remedy: string;
}
