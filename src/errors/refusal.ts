// A refusal: the service understood and says no. Domain code throws one; the edges (HTTP, command line, sockets) turn
// its kind into a status or an exit code. The detail says what was wrong and what to do, and is safe to show.

export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'unprocessable'
  | 'too_many'
  | 'not_offered'
  | 'upstream'
  | 'unavailable'
  | 'timeout'
  | 'fault';

export type RefusalDetail = string | (Readonly<Record<string, unknown>> & { readonly message: string });

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: RefusalKind;
  readonly detail: RefusalDetail;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: RefusalKind, detail: RefusalDetail, options: { retryAfterSeconds?: number } = {}) {
    super(typeof detail === 'string' ? detail : detail.message);
    this.kind = kind;
    this.detail = detail;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
