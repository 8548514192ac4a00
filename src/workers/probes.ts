// How workers are: asked through their health route, at most every few seconds, with a short memory of how it went.
import type { WorkerLoad } from '../protocol/index.ts';
import type { WorkerHealth } from '../protocol/workers.ts';
import { askHealth } from './askHealth.ts';
import { type RemoteWorker, routeOf } from './spec.ts';

export type WorkerState = 'healthy' | 'unknown' | 'unavailable' | 'warming';

export interface ProbeRecord {
  readonly health: WorkerState;
  readonly health_checked_at: number | null;
  readonly last_error: string | null;
  readonly health_history: readonly {
    readonly checked_at: number;
    readonly health: WorkerState;
    readonly error: string | null;
    readonly duration_ms: number;
  }[];
  readonly probe_count: number;
  readonly healthy_probe_count: number;
  readonly unavailable_probe_count: number;
  readonly unknown_probe_count: number;
  readonly consecutive_failures: number;
  readonly last_healthy_at: number | null;
  readonly last_unavailable_at: number | null;
  readonly last_unknown_at: number | null;
  readonly last_status_change_at: number | null;
  readonly last_probe_duration_ms: number | null;
  readonly load: WorkerLoad | null;
}

export interface Probes {
  /** `fresh` asks even though somebody asked just now. */
  probe(worker: RemoteWorker, options?: { readonly fresh: boolean }): Promise<ProbeRecord>;
  /** Forgets what is known of the others. */
  keepOnly(urls: ReadonlySet<string>): void;
}

export const neverProbed: ProbeRecord = {
  health: 'unknown',
  health_checked_at: null,
  last_error: null,
  health_history: [],
  probe_count: 0,
  healthy_probe_count: 0,
  unavailable_probe_count: 0,
  unknown_probe_count: 0,
  consecutive_failures: 0,
  last_healthy_at: null,
  last_unavailable_at: null,
  last_unknown_at: null,
  last_status_change_at: null,
  last_probe_duration_ms: null,
  load: null,
};

const keptMilliseconds = 5000;
const askMilliseconds = 8000;
const historyLength = 6;

export function createProbes(now: () => number = Date.now): Probes {
  const known = new Map<string, ProbeRecord>();
  const asking = new Map<string, Promise<ProbeRecord>>();

  async function probe(worker: RemoteWorker, url: string): Promise<ProbeRecord> {
    const begun = now();
    const finding = await ask(worker, url);
    const record = added(known.get(url) ?? neverProbed, { ...finding, at: now(), duration: now() - begun });
    known.set(url, record);
    return record;
  }

  return {
    async probe(worker, { fresh } = { fresh: false }) {
      const url = routeOf(worker.url, '/health');
      const kept = known.get(url);
      if (!fresh && kept && now() - (kept.health_checked_at ?? 0) < keptMilliseconds) return kept;
      const running = asking.get(url) ?? probe(worker, url).finally(() => asking.delete(url));
      asking.set(url, running);
      return running;
    },
    keepOnly(urls) {
      for (const url of known.keys()) if (!urls.has(url)) known.delete(url);
    },
  };
}

async function ask(worker: RemoteWorker, url: string): Promise<Omit<Finding, 'at' | 'duration'>> {
  const signal = AbortSignal.timeout(askMilliseconds);
  try {
    const said = await askHealth(worker, url, signal);
    if (said.health === undefined) return { health: 'unavailable', error: said.reason, load: null };
    const { status, detail, capabilities } = said.health;
    const load = loadIn(said.health);
    if (status !== 'healthy')
      return { health: 'unavailable', error: detail ?? 'it does not say that it is healthy', load };
    const runsCells = capabilities.transform_refs.includes('notebook_cell@v1');
    return runsCells
      ? { health: 'healthy', error: null, load }
      : { health: 'unknown', error: 'it does not say that it runs cells', load };
  } catch (error) {
    if (signal.aborted)
      return { health: 'warming', error: `it did not answer within ${askMilliseconds / 1000} s`, load: null };
    return { health: 'unavailable', error: error instanceof Error ? error.message : String(error), load: null };
  }
}

function loadIn(health: WorkerHealth): WorkerLoad | null {
  const { active_executions: running, max_concurrent, queued_executions, hardware, capabilities } = health;
  if (running === undefined) return null;
  return {
    running,
    capacity: max_concurrent ?? null,
    waiting: queued_executions ?? 0,
    is_cluster: capabilities.features.cluster === true,
    nodes: hardware?.nodes ?? null,
    cpus: hardware?.cpus ?? null,
    memory_mb: hardware?.memory_mb ?? null,
    gpus: hardware?.accelerators?.length ?? 0,
  };
}

interface Finding {
  readonly health: WorkerState;
  readonly error: string | null;
  readonly load: WorkerLoad | null;
  readonly at: number;
  readonly duration: number;
}

function added(before: ProbeRecord, { health, error, load, at, duration }: Finding): ProbeRecord {
  const count = (state: WorkerState, so_far: number): number => (health === state ? so_far + 1 : so_far);
  const time = (state: WorkerState, last: number | null): number | null => (health === state ? at : last);
  const history = [...before.health_history, { checked_at: at, health, error, duration_ms: duration }];
  return {
    health,
    health_checked_at: at,
    last_error: error,
    health_history: history.slice(-historyLength),
    probe_count: before.probe_count + 1,
    healthy_probe_count: count('healthy', before.healthy_probe_count),
    unavailable_probe_count: count('unavailable', before.unavailable_probe_count),
    unknown_probe_count: count('unknown', before.unknown_probe_count),
    consecutive_failures: health === 'healthy' ? 0 : before.consecutive_failures + 1,
    last_healthy_at: time('healthy', before.last_healthy_at),
    last_unavailable_at: time('unavailable', before.last_unavailable_at),
    last_unknown_at: time('unknown', before.last_unknown_at),
    last_status_change_at: before.probe_count > 0 && before.health === health ? before.last_status_change_at : at,
    last_probe_duration_ms: duration,
    load,
  };
}
