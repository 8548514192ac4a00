// Requests to one worker. Only whoever may define workers chooses these addresses, so any address is reached; redirects are
// never followed, since a token goes along.
import { openUrl, shortText, type UrlAnswer, type UrlRequest } from '../fetch/index.ts';
import { traceHeaders } from '../observability/index.ts';
import { RemoteFailure, saidBy } from './failure.ts';
import { type RemoteWorker, routeOf } from './spec.ts';

export interface WorkerClient {
  /** Throws REQUEST_FAILED when nobody answers. */
  ask(url: string, request: Pick<UrlRequest, 'method' | 'headers' | 'body' | 'signal'>): Promise<UrlAnswer>;
  /** Tells the worker to stop; nobody waits long for it, and nobody minds when it fails. */
  cancel(buildId: string): Promise<void>;
}

const anywhere = { publicOnly: false, allowedHosts: [] };
const cancelMilliseconds = 5000;

export function createWorkerClient(worker: RemoteWorker): WorkerClient {
  const authorization: Record<string, string> =
    worker.token === null ? {} : { authorization: `Bearer ${worker.token}` };
  return {
    async ask(url, request) {
      try {
        return await openUrl(url, {
          ...request,
          headers: { ...authorization, ...traceHeaders(), ...request.headers },
          policy: anywhere,
        });
      } catch (error) {
        if (request.signal.aborted) throw error;
        throw lost(worker, error);
      }
    },
    async cancel(buildId) {
      const url = routeOf(worker.url, `/v1/executions/${encodeURIComponent(buildId)}/cancel`);
      const signal = AbortSignal.timeout(cancelMilliseconds);
      await openUrl(url, {
        method: 'POST',
        headers: { ...authorization, ...traceHeaders() },
        policy: anywhere,
        signal,
      }).then(
        ({ body }) => body.destroy(),
        () => {},
      );
    },
  };
}

export const lost = ({ name }: RemoteWorker, error: unknown): RemoteFailure =>
  new RemoteFailure(
    'REQUEST_FAILED',
    `The worker ${name} was lost or cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
  );

/** The failure that an answer other than 200 and 202 stands for. */
export async function failureOf({ name }: RemoteWorker, { status, body }: UrlAnswer): Promise<RemoteFailure> {
  return failureFrom(name, status, await shortText(body));
}

export function failureFrom(name: string, status: number, said: string): RemoteFailure {
  const reason = saidBy(said);
  if (status === 408) return new RemoteFailure('TIMEOUT', reason || `The cell took too long on the worker ${name}.`);
  const code = status === 502 && /finalize failed/.test(reason) ? 'FINALIZE_FAILED' : 'EXECUTOR_HTTP_ERROR';
  return new RemoteFailure(code, `The worker ${name} answered ${status}: ${reason || 'without a reason'}`);
}
