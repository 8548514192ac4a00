// Whether a worker has room for another cell, by what it says of itself.
import { shortText } from '../fetch/index.ts';
import { workerHealthSchema } from '../protocol/workers.ts';
import { createWorkerClient } from './client.ts';
import { type RemoteWorker, routeOf } from './spec.ts';

const askMilliseconds = 8000;

/** False where it does not say how much it takes. */
export async function saysItIsFull(worker: RemoteWorker, signal: AbortSignal): Promise<boolean> {
  try {
    const { body } = await createWorkerClient(worker).ask(routeOf(worker.url, '/health'), {
      method: 'GET',
      signal: AbortSignal.any([signal, AbortSignal.timeout(askMilliseconds)]),
    });
    const { active_executions, max_concurrent, gpu_slots, free_gpu_slots } = workerHealthSchema.parse(
      JSON.parse(await shortText(body)),
    );
    const hasAllItTakes = (max_concurrent ?? 0) > 0 && (active_executions ?? 0) >= (max_concurrent ?? 0);
    return hasAllItTakes || ((gpu_slots ?? 0) > 0 && free_gpu_slots === 0);
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
