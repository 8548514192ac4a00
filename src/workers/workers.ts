// Runs cells on workers: checks that the worker can do what the cell needs, picks the transport, and tells whatever happens
// as the result of a run.
import type { BundleLimits } from '../bundle/index.ts';
import { hiding } from '../errors/index.ts';
import type { Tracing } from '../observability/index.ts';
import type { Job, RunEvent, RunResult } from '../runtimes/index.ts';
import { type DispatchOptions, runDirect } from './direct.ts';
import { createWorkerEnvironments, type LockedCell } from './environments.ts';
import { cancelledRemotely, failedRemotely, RemoteFailure } from './failure.ts';
import { createFeatures, type Feature } from './features.ts';
import { createLines } from './lines.ts';
import type { PushedFacts } from './pushBody.ts';
import type { SignedRuns } from './signed.ts';
import { type RemoteWorker, remoteOf, type WorkerDefinition, WorkerUnusable } from './spec.ts';
import { lineOf } from './submit.ts';

export interface Workers {
  run(
    worker: WorkerDefinition,
    job: Job,
    facts: PushedFacts,
    onEvent: (event: RunEvent) => void,
    signal: AbortSignal,
  ): Promise<RunResult>;
  /**
   * In what a cell would run there now, as far as its result depends on it; undefined when the worker could not be asked.
   */
  environmentOf(worker: WorkerDefinition, cell: LockedCell): Promise<string | undefined>;
  /** How many cells a cluster takes at once; undefined for a worker that is none, or could not be asked. */
  slotsOf(worker: WorkerDefinition): Promise<number | undefined>;
  /** Tokens that no file holds, by worker. */
  readonly tokens: Map<string, string>;
}

export interface WorkersParts {
  readonly limits: BundleLimits;
  readonly provisioningSeconds: number;
  readonly signed: SignedRuns;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tracing: Tracing;
}

export function createWorkers({ limits, provisioningSeconds, signed, env, tracing }: WorkersParts): Workers {
  const features = createFeatures();
  const environments = createWorkerEnvironments(features);
  const tokens = new Map<string, string>();
  const lines = createLines();

  /** Throws where a worker cannot do what the cell cannot do without. */
  async function need(worker: RemoteWorker, feature: Feature, what: string): Promise<void> {
    const has = await features.has(worker, feature);
    if (has === undefined)
      throw new RemoteFailure(
        'REQUEST_FAILED',
        `The worker ${worker.name} could not be asked whether it can ${what}: ${features.whyNot(worker)}.`,
      );
    if (!has)
      throw new RemoteFailure(
        'SETUP_FAILED',
        `The worker ${worker.name} cannot ${what}; use another, or run the cell here.`,
      );
  }

  /** Without the lock where the worker installs none: the cell then runs in the worker's own environment. */
  async function fitted(worker: RemoteWorker, job: Job, facts: PushedFacts): Promise<PushedFacts> {
    if (facts.outputDirs.length > 0) await need(worker, 'output_dirs', 'keep output folders');
    const readsFolders = Object.entries(job.inputs).some(
      ([name, { contentType, file }]) =>
        contentType === 'file/path' && file.includes('/input_dirs/') && !facts.outputDirs.includes(name),
    );
    if (readsFolders) await need(worker, 'folder_inputs', 'read folders of other cells');
    const kind = await environments.kindFor(worker, cellOf(facts));
    return { ...facts, environmentKind: kind, environment: kind === 'locked' ? facts.environment : null };
  }

  return {
    tokens,
    async environmentOf(definition, cell) {
      try {
        return await environments.identityFor(remoteOf(definition, env, tokens), cell);
      } catch (error) {
        // The run says what is wrong with it.
        if (error instanceof WorkerUnusable) return undefined;
        throw error;
      }
    },
    async slotsOf(definition) {
      try {
        const facts = await features.facts(remoteOf(definition, env, tokens), { keptMilliseconds: slotsMilliseconds });
        return facts?.slots;
      } catch (error) {
        if (error instanceof WorkerUnusable) return undefined;
        throw error;
      }
    },
    async run(definition, job, facts, onEvent, signal) {
      const place = { worker: definition.name, transport: transportOf(definition) };
      try {
        const worker = remoteOf(definition, env, tokens);
        const ready = await fitted(worker, job, facts);
        const options: DispatchOptions = {
          limits,
          provisioningSeconds,
          lines,
          signal,
          onProgress: (progress) => onEvent({ type: 'remote', ...place, ...progress }),
        };
        const about = { 'worker.name': worker.name, 'worker.transport': worker.transport, 'cell.id': job.cellId };
        return await tracing
          .span('worker.run', about, undefined, () =>
            worker.transport === 'signed'
              ? signed.run(worker, job, ready, onEvent, options)
              : runDirect(worker, job, ready, options),
          )
          .finally(() => lines.ended(lineOf(worker)));
      } catch (error) {
        if (signal.aborted) return cancelledRemotely(place);
        if (error instanceof RemoteFailure) {
          const worker = remoteOf(definition, env, tokens);
          features.forget(worker);
          // Proxies and workers like to repeat what they were sent.
          const said = hiding(worker.token === null ? [] : [worker.token])(error.message);
          const { code, buildId, printed } = error;
          return failedRemotely(new RemoteFailure(code, said, printed && { printed }), { ...place, buildId });
        }
        if (error instanceof WorkerUnusable)
          return failedRemotely(new RemoteFailure('SETUP_FAILED', error.message), place);
        throw error;
      }
    },
  };
}

/** A cluster grows and shrinks, but not while one looks. */
const slotsMilliseconds = 10_000;

const cellOf = ({ language, environment }: PushedFacts): LockedCell => ({ language, isLocked: environment !== null });

const transportOf = ({ config }: WorkerDefinition): string =>
  config.transport === undefined || config.transport === 'direct' ? 'direct' : 'signed';
