// Tells a dispatcher in front of machines that start on demand that a cell will soon come. Nobody waits for it, and a
// plain worker that knows no hints is left alone: one hint a minute for each session and worker.
import { createWorkerClient } from './client.ts';
import { remoteOf, routeOf, type WorkerDefinition, WorkerUnusable } from './spec.ts';

export type HintReason = 'focus' | 'select' | 'cascade' | 'run_all';

export interface Hints {
  give(sessionId: string, notebook: HintedNotebook, worker: string, reason: HintReason): void;
}

export interface HintedNotebook {
  readonly id: string;
  readonly workers: readonly WorkerDefinition[];
}

export interface HintsParts {
  readonly find: (own: readonly WorkerDefinition[], name: string) => WorkerDefinition | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const restMilliseconds = 60_000;
const askMilliseconds = 5000;

export function createHints({ find, env }: HintsParts): Hints {
  const given = new Map<string, number>();

  async function send(worker: WorkerDefinition, notebookId: string, reason: HintReason): Promise<void> {
    const remote = remoteOf(worker, env);
    const answer = await createWorkerClient(remote).ask(routeOf(remote.url, '/v1/hints'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-executor-protocol': 'v1' },
      body: JSON.stringify({ worker: worker.name, runtime_id: worker.runtime_id, notebook_id: notebookId, reason }),
      signal: AbortSignal.timeout(askMilliseconds),
    });
    answer.body.destroy();
  }

  return {
    give(sessionId, { id, workers }, name, reason) {
      const worker = find(workers, name);
      if (worker?.backend !== 'executor') return;
      const now = performance.now();
      for (const [key, at] of given) if (now - at > restMilliseconds) given.delete(key);
      const key = `${sessionId}\0${name}`;
      if (given.has(key)) return;
      given.set(key, now);
      send(worker, id, reason).catch((error: unknown) => {
        // A worker that cannot be reached shows so when a cell is sent to it.
        if (error instanceof WorkerUnusable) given.delete(key);
      });
    },
  };
}
