// Requests to this server. Addresses are relative to the page's base, so the app works under any path of a proxy.

export class ApiError extends Error {
  readonly status: number;
  readonly code: string | null;

  constructor(status: number, message: string, code: string | null) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** The server is of a version that does not have this yet, or it is switched off. */
  get isMissing(): boolean {
    return this.status === 404 || this.status === 405 || this.status === 501;
  }
}

export const address = (path: string): string => new URL(path.replace(/^\//, ''), document.baseURI).toString();

/** The shape is the caller's promise: it names the type that the protocol gives this route. */
export async function request<Body>(method: string, path: string, json?: unknown, signal?: AbortSignal): Promise<Body> {
  const answer = await fetch(address(path), {
    method,
    ...(json === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'The server does not answer. It may be restarting; try again in a moment.', 'offline');
  });
  if (!answer.ok) throw await refusalOf(answer);
  return answer.json();
}

/** `onProgress` hears which part of it has been sent, from 0 to 1: `fetch` does not tell. */
export async function upload<Body>(
  method: 'POST' | 'PUT',
  path: string,
  content: FormData | File,
  onProgress: (part: number) => void,
  signal?: AbortSignal,
): Promise<Body> {
  const answer = await new Promise<Response>((resolve, reject) => {
    const sent = new XMLHttpRequest();
    sent.open(method, address(path));
    sent.responseType = 'blob';
    sent.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 1);
    sent.onload = () => resolve(new Response(sent.response, { status: sent.status }));
    sent.onerror = () =>
      reject(new ApiError(0, 'The file could not be sent: the connection broke. Try again.', 'offline'));
    signal?.addEventListener('abort', () => {
      sent.abort();
      reject(signal.reason);
    });
    sent.send(content);
  });
  if (!answer.ok) throw await refusalOf(answer);
  return answer.json();
}

export async function refusalOf(answer: Response): Promise<ApiError> {
  const body: unknown = await answer.json().catch(() => null);
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : null;
  if (typeof detail === 'string') return new ApiError(answer.status, detail, null);
  if (Array.isArray(detail)) return new ApiError(answer.status, detail.map(sentenceOf).join('; '), 'validation');
  if (typeof detail === 'object' && detail !== null) {
    const code = 'code' in detail && typeof detail.code === 'string' ? detail.code : null;
    const message = 'message' in detail && typeof detail.message === 'string' ? detail.message : answer.statusText;
    return new ApiError(answer.status, message, code);
  }
  return new ApiError(answer.status, `The server answered ${answer.status}.`, null);
}

const sentenceOf = (issue: { readonly loc?: readonly unknown[]; readonly msg?: string }): string =>
  `${issue.loc?.slice(1).join('.') ?? ''}: ${issue.msg ?? ''}`;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
