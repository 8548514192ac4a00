// Requests to this server. Addresses are relative to the page's base, so the app works under any path of a proxy.
import {
  createTransport,
  ServerAway,
  SvcError,
  refusalOf as svcRefusal,
  type Transport,
} from '../../../clients/typescript/src/transport.ts';
import { notAllowed } from '../../../src/model/notAllowed.ts';

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

/** Told to the window when the server does not know who asks. */
export const signedOut = 'svc:signed-out';
export const tellSignedOut = (): boolean => window.dispatchEvent(new Event(signedOut));

let transport: Transport | undefined;

/** The shape is the caller's promise: it names the type that the protocol gives this route. */
export async function request<Body>(method: string, path: string, json?: unknown, signal?: AbortSignal): Promise<Body> {
  // A person sees what is busy, and decides.
  transport ??= createTransport({ baseUrl: address(''), retries: 0 });
  const options = { ...(json === undefined ? {} : { body: json }), signal };
  try {
    return await (await transport.send(`${method} ${path}`, options)).json();
  } catch (error) {
    if (error instanceof SvcError) {
      throw asApiError(error);
    }
    if (!(error instanceof ServerAway)) throw error;
    throw new ApiError(0, 'The server does not answer. It may be restarting; try again in a moment.', 'offline');
  }
}

function asApiError(error: SvcError): ApiError {
  if (error.status === 401) tellSignedOut();
  const code = error.code ?? (Array.isArray(error.detail) ? 'validation' : null);
  return new ApiError(error.status, notAllowed(error.reason), code);
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

export const refusalOf = async (answer: Response): Promise<ApiError> => asApiError(await svcRefusal(answer));

export const messageOf = (error: unknown): string => notAllowed(error instanceof Error ? error.message : String(error));
