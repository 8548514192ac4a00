// Takes builds that wait and works on them: so many at a time, so many of a tenant, tenants in turn. Every server on a store
// has one; a build whose server is gone is taken up by another.
import { randomBytes } from 'node:crypto';
import { type Artifacts, type ArtifactVersion, transformOf } from '../artifacts/index.ts';
import { refusals } from '../errors/index.ts';
import type { BuildRecorder, Log, Tracing } from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';
import { type Build, type BuildFailure, BuildProblem, type Lease, LeaseLost } from './build.ts';
import type { Executor } from './executor.ts';
import type { BringInputs } from './inputs.ts';
import { keepLease, leaseSeconds } from './leaseKeeper.ts';
import type { OfferedTransform, Transforms } from './registry.ts';
import type { BuildRows } from './rows.ts';

export interface BuildRunner {
  /** Looks for builds now and from time to time. */
  start(): void;
  poll(): void;
  /** Stops the work on a build here; its row is somebody else's concern. */
  stop(id: string): void;
  close(): Promise<void>;
}

export interface BuildRunnerParts {
  readonly settings: Settings;
  readonly rows: BuildRows;
  readonly artifacts: Artifacts;
  readonly transforms: Transforms;
  readonly bringInputs: BringInputs;
  readonly embedded: Executor;
  readonly remote: Executor;
  /** Tables and the built-in query need the data engine. */
  readonly engineReady: () => boolean;
  readonly metrics: BuildRecorder;
  readonly tracing: Tracing;
  readonly log: Log;
  /** Told of every build that ended here, and of polls, when others may have ended elsewhere. */
  readonly onEnded: (id: string) => void;
  readonly onPoll: () => Promise<void>;
}

const seenAtOnce = 50;
/** A build that ends with its server this often is to blame. */
const maxAttempts = 3;
/** A longer interval leaves new builds to executors that pull, for what it is longer. */
const usualIntervalMs = 500;

export function createBuildRunner(parts: BuildRunnerParts): BuildRunner {
  const { settings, rows, artifacts, transforms, metrics, log } = parts;
  const { now } = artifacts.parts;
  const owner = `runner-${randomBytes(4).toString('hex')}`;
  const intervalMs = settings.buildRunnerPollIntervalMs;
  const graceSeconds = Math.max(0, intervalMs - usualIntervalMs) / 1000;
  const running = new Map<string, { readonly pool: string; readonly stop: AbortController; done: Promise<void> }>();
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  let again = false;
  let closed = false;

  const isFull = (pool: string): boolean =>
    [...running.values()].filter((one) => one.pool === pool).length >= settings.buildRunnerMaxPerTenant;

  async function takeBuilds(): Promise<void> {
    await parts.onPoll();
    if (running.size >= settings.buildRunnerMaxConcurrent) return;
    const at = now();
    for (const build of await rows.runnable(at, at - graceSeconds, seenAtOnce)) {
      if (closed || running.size >= settings.buildRunnerMaxConcurrent) return;
      if (running.has(build.id) || isFull(build.pool)) continue;
      const version = await artifacts.versions.get(build.target);
      const transform = transforms.find(build.executor);
      if (version && transform && needsEngine(version, transform) && !parts.engineReady()) continue;
      const claimed = await rows.claim(build.id, { owner, expiresAt: at + leaseSeconds }, at);
      if (claimed?.lease) begin(claimed, claimed.lease, version, transform);
    }
  }

  function begin(
    build: Build,
    lease: Lease,
    version: ArtifactVersion | undefined,
    transform: OfferedTransform | undefined,
  ): void {
    const stop = new AbortController();
    const entry = { pool: build.pool, stop, done: Promise.resolve() };
    running.set(build.id, entry);
    const facts = { 'build.id': build.id, 'build.transform': build.executor };
    entry.done = parts.tracing
      .span('build', facts, undefined, () => attempt(build, lease, version, transform, stop.signal))
      .catch((error: unknown) => log.error('A build could not be brought to an end', { error, build_id: build.id }))
      .finally(() => {
        running.delete(build.id);
        parts.onEnded(build.id);
        poll();
      });
  }

  async function attempt(
    build: Build,
    lease: Lease,
    version: ArtifactVersion | undefined,
    transform: OfferedTransform | undefined,
    stopped: AbortSignal,
  ): Promise<void> {
    const began = performance.now();
    const of = { transform: build.executor, tenant: build.pool };
    metrics.buildStarted({ ...of, queueWaitMs: (now() - build.createdAt) * 1000 });
    const keeper = keepLease(rows, now, build.id, lease);
    try {
      if (!version) throw new BuildProblem('ValidationError', 'The version that the build was to make is gone.');
      if (!transform) throw new BuildProblem('TRANSFORM_UNKNOWN', `${build.executor} is no longer offered here.`);
      if (build.attempts > maxAttempts)
        throw new BuildProblem(
          'LEASE_LOST',
          `The build was begun ${maxAttempts} times, and its server ended each time.`,
        );
      const signal = AbortSignal.any([stopped, keeper.lost]);
      const bytes = await produce(parts, build, version, transform, keeper, signal);
      metrics.buildSucceeded({ ...of, durationMs: performance.now() - began, ...bytes });
    } catch (error) {
      const durationMs = performance.now() - began;
      const held = await keeper.settle();
      if (error instanceof LeaseLost || keeper.lost.aborted || (stopped.aborted && !closed)) {
        metrics.buildCancelled({ ...of, durationMs });
        return;
      }
      const failure = closed ? shutDown : described(error);
      await rows.fail(build, held, failure, now());
      metrics.buildFailed({ ...of, durationMs, errorCode: failure.code });
      if (!(error instanceof BuildProblem)) log.info('A build failed', { error, build_id: build.id });
    } finally {
      await keeper.settle();
    }
  }

  /** One at a time; what was asked for meanwhile is done afterwards. */
  function poll(): void {
    if (closed) return;
    again = true;
    polling ??= (async () => {
      while (again && !closed) {
        again = false;
        await takeBuilds().catch((error: unknown) => log.warning('Builds could not be looked for', { error }));
      }
      polling = undefined;
    })();
  }

  return {
    poll,
    start() {
      timer = setInterval(poll, intervalMs).unref();
      poll();
    },
    stop: (id) => running.get(id)?.stop.abort(),
    async close() {
      closed = true;
      clearInterval(timer);
      await polling;
      for (const { stop } of running.values()) stop.abort(refusals.draining());
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** Runs a build and publishes its result, unless somebody else holds it by then. */
async function produce(
  { artifacts, rows, bringInputs, embedded, remote }: BuildRunnerParts,
  build: Build,
  version: ArtifactVersion,
  transform: OfferedTransform,
  keeper: ReturnType<typeof keepLease>,
  signal: AbortSignal,
): Promise<{ bytesIn: number; bytesOut: number }> {
  const { versions, staging } = artifacts;
  const { now } = artifacts.parts;
  const inputs = await bringInputs(version, { pool: build.pool, maxBytes: transform.maxInputBytes, signal });
  try {
    const execute = transform.executorUrl === null ? embedded : remote;
    const { bytes, schema, rowCount } = await execute({ build, version, transform, inputs: inputs.files, signal });
    if (signal.aborted) {
      await staging.discard(bytes);
      signal.throwIfAborted();
    }
    const placed = await versions.place(version.id, bytes);
    const held = await keeper.settle();
    const actor = { tenant: version.tenant, principal: version.principal };
    await versions.publish(version, placed, { schema, rowCount, name: build.name, actor }, async (queries) => {
      const outcome = { at: now(), bytes: placed.byteSize };
      if (!(await rows.complete(queries, build.id, held, outcome))) throw new LeaseLost();
    });
    return { bytesIn: inputs.bytes, bytesOut: placed.byteSize };
  } finally {
    await inputs.dispose();
  }
}

const needsEngine = (version: ArtifactVersion, { executorUrl }: OfferedTransform): boolean =>
  executorUrl === null || transformOf(version.transformSpec).inputs.some((uri) => !uri.startsWith('svc://'));

const shutDown: BuildFailure = { code: 'SERVER_SHUTDOWN', message: 'The server was stopped. Ask for the build again.' };

function described(error: unknown): BuildFailure {
  if (error instanceof BuildProblem) return { code: error.code, message: error.message };
  return error instanceof Error
    ? { code: error.name, message: error.message }
    : { code: 'Error', message: String(error) };
}
