// What a worker answers in place of a result: a status, and one of the protocol's two bodies. `detail` tells of requests
// and transport, `failure` of a cell that could not be run.

export class WorkerRefused extends Error {
  override name = 'WorkerRefused';
  readonly status: number;
  readonly body: { readonly detail: string } | { readonly success: false; readonly error: string };
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, body: WorkerRefused['body'], retryAfterSeconds?: number) {
    super('detail' in body ? body.detail : body.error);
    this.status = status;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const invalid = (detail: string): WorkerRefused => new WorkerRefused(400, { detail });
export const tooLarge = (what: string, limit: number): WorkerRefused =>
  new WorkerRefused(413, { detail: `${what} is larger than ${limit} bytes (SVC_WORKER_MAX_INPUT_BYTES)` });
export const upstream = (detail: string): WorkerRefused => new WorkerRefused(502, { detail });
export const full = (detail: string): WorkerRefused => new WorkerRefused(503, { detail }, 5);
export const failed = (status: 400 | 408 | 409 | 500, error: string): WorkerRefused =>
  new WorkerRefused(status, { success: false, error });
