// How a request reaches a server and how its refusals come back: the one place for addresses, retries and errors, whoever asks.
// A route is written as the server describes it: `GET /v1/notebooks/{session_id}/cells`.

export interface TransportOptions {
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How often a request is sent again to a server that is busy. */
  readonly retries?: number;
  readonly fetch?: typeof fetch;
}

export interface Transport {
  readonly base: string;
  /** Rejects with SvcError when the server refuses, and with ServerAway when nobody answers. */
  send(route: string, options?: SendOptions): Promise<Response>;
}

export interface SendOptions {
  /** For the places in braces. */
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** What a server answered instead of doing it. */
export class SvcError extends Error {
  readonly status: number;
  readonly detail: unknown;
  readonly requestId: string | null;

  constructor(status: number, detail: unknown, requestId: string | null) {
    super(`${status}: ${reasonIn(detail)}`);
    this.name = 'SvcError';
    this.status = status;
    this.detail = detail;
    this.requestId = requestId;
  }

  /** In the server's words, without the status. */
  get reason(): string {
    return reasonIn(this.detail) || `The server answered ${this.status}.`;
  }

  /** A stable name for it, where there is one. */
  get code(): string | null {
    const code =
      typeof this.detail === 'object' && this.detail !== null && 'code' in this.detail ? this.detail.code : null;
    return typeof code === 'string' ? code : null;
  }
}

/** Nobody answers there, at least not now. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway';
}

function reasonIn(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  // What did not fit the shape of the request, one by one.
  if (Array.isArray(detail))
    return detail.map((issue) => `${issue?.loc?.slice(1).join('.') ?? ''}: ${issue?.msg ?? ''}`).join('; ');
  const message = typeof detail === 'object' && detail !== null && 'message' in detail ? detail.message : undefined;
  return typeof message === 'string' ? message : JSON.stringify(detail);
}

const busy = new Set([429, 503]);

export function createTransport({
  baseUrl,
  headers = {},
  retries = 3,
  fetch: ask = fetch,
}: TransportOptions): Transport {
  const base = baseUrl.replace(/\/+$/, '');
  return {
    base,
    async send(route, options = {}) {
      const { method, url, init } = requestOf(base, route, options, headers);
      for (let attempt = 0; ; attempt++) {
        const response = await ask(url, init).catch((cause: unknown) => {
          if (options.signal?.aborted) throw cause;
          throw Object.assign(new ServerAway(`${base} cannot be reached: ${reasonOf(cause)}`), { cause });
        });
        if (response.ok) return response;
        if (!busy.has(response.status) || attempt >= retries || method === 'PATCH') throw await refusalOf(response);
        await response.body?.cancel();
        await pause(waitSeconds(response, attempt), options.signal);
      }
    },
  };
}

/** The connection says more than that the fetch failed. */
function reasonOf(problem: unknown): string {
  const cause = problem instanceof Error && problem.cause instanceof Error ? problem.cause : problem;
  return cause instanceof Error ? cause.message : String(cause);
}

function requestOf(
  base: string,
  name: string,
  { path = {}, query = {}, body, headers, signal }: SendOptions,
  shared: object,
) {
  const [method = 'GET', template = '/'] = name.split(' ');
  const place = template.replace(/\{([^}]+)\}/g, (_, key: string) => encodeURIComponent(String(path[key])));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  const init: RequestInit = {
    method,
    headers: {
      ...(body === undefined || isBody(body) ? {} : { 'content-type': 'application/json' }),
      ...shared,
      ...headers,
    },
    ...(body === undefined ? {} : { body: isBody(body) ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
  return { method, url: `${base}${place}${search.size > 0 ? `?${search}` : ''}`, init };
}

/** What is sent as it is; everything else is JSON. */
const isBody = (body: unknown): body is string | ArrayBuffer | Blob | FormData =>
  typeof body === 'string' || body instanceof ArrayBuffer || body instanceof Blob || body instanceof FormData;

export async function refusalOf(response: Response): Promise<SvcError> {
  const text = await response.text();
  let detail: unknown = text;
  try {
    const answer: unknown = JSON.parse(text);
    detail = typeof answer === 'object' && answer !== null && 'detail' in answer ? answer.detail : answer;
  } catch {
    // Plain text is its own detail.
  }
  return new SvcError(response.status, detail, response.headers.get('x-request-id'));
}

function waitSeconds(response: Response, attempt: number): number {
  const said = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isNaN(said) ? Math.min(2 ** attempt, 30) : said;
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = withResolvers<void>();
  const timer = setTimeout(resolve, seconds * 1000);
  signal?.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
  return promise;
}

/** Node 20 lacks `Promise.withResolvers`. */
export function withResolvers<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (reason: unknown) => void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((one, other) => {
    resolve = one;
    reject = other;
  });
  return { promise, resolve, reject };
}
