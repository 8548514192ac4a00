// What `svc doctor` found, of the machine or of what lies on it.
export interface Finding {
  readonly what: string;
  readonly level: 'ok' | 'warning' | 'problem';
  /** Of a deep look: which rule does not hold, and of what. */
  readonly code?: string;
  readonly where?: string;
  readonly found: string;
  /** What to do about it. */
  readonly remedy?: string;
}
