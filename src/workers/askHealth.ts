// What a worker says of itself, or in words what answered in its place: an address may lead to any web server.
import { shortText } from '../fetch/index.ts';
import { type WorkerHealth, workerHealthSchema } from '../protocol/workers.ts';
import { createWorkerClient } from './client.ts';
import { isPage, pageInWords } from './failure.ts';
import type { RemoteWorker } from './spec.ts';

export type Said =
  | { readonly status: number; readonly health: WorkerHealth }
  /** `reason`: why that is not what a worker says, beginning with "it". */
  | { readonly status: number; readonly health: undefined; readonly reason: string };

export async function askHealth(worker: RemoteWorker, url: string, signal: AbortSignal): Promise<Said> {
  const { status, body } = await createWorkerClient(worker).ask(url, { signal });
  const said = await shortText(body);
  const none = (reason: string): Said => ({ status, health: undefined, reason });
  if (status >= 300 && status < 400)
    return none(`it answered ${status}, which leads elsewhere: write the address of the worker itself`);
  if (status !== 200) return none(`it answered ${status}${isPage(said) ? ` with ${pageInWords(said)}` : ''}`);
  const { data } = workerHealthSchema.safeParse(parsed(said));
  if (data) return { status, health: data };
  return none(
    `it is no worker: it answered with ${isPage(said) ? pageInWords(said) : 'something that no worker says'}`,
  );
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}
