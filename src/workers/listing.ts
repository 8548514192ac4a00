// The list of workers that a notebook sees: this machine, its own, the server's, and names that it uses and nobody defines.
import type { ServerWorker } from './catalog.ts';
import { neverProbed, type ProbeRecord, type Probes } from './probes.ts';
import { type RemoteWorker, remoteOf, routeOf, type WorkerDefinition, WorkerUnusable } from './spec.ts';

export interface WorkerEntry extends ProbeRecord {
  readonly name: string;
  readonly backend: 'local' | 'executor';
  readonly runtime_id: string | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly source: 'builtin' | 'notebook' | 'server' | 'referenced';
  readonly allowed: boolean;
  readonly enabled: boolean;
  readonly transport: string;
  readonly health_url: string | null;
}

export interface Listed {
  readonly own: readonly WorkerDefinition[];
  readonly registered: readonly ServerWorker[];
  /** Names that cells and the notebook use. */
  readonly referenced: readonly string[];
  readonly isEditable: boolean;
}

export interface Listing {
  /** `shown` takes what must not be seen out of a configuration. */
  list(listed: Listed, options?: { readonly fresh: boolean }): Promise<WorkerEntry[]>;
}

export interface ListingParts {
  readonly probes: Probes;
  readonly shown: (config: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const here: WorkerEntry = {
  ...neverProbed,
  name: 'local',
  backend: 'local',
  runtime_id: null,
  config: {},
  source: 'builtin',
  health: 'healthy',
  allowed: true,
  enabled: true,
  transport: 'local',
  health_url: null,
};

export function createListing({ probes, shown, env }: ListingParts): Listing {
  async function entry(
    worker: WorkerDefinition,
    facts: Pick<WorkerEntry, 'source' | 'allowed' | 'enabled'>,
    fresh: boolean,
  ): Promise<WorkerEntry> {
    const { name, backend, runtime_id, config } = worker;
    const plain = { name, backend, runtime_id, config: visible(shown, config), ...facts };
    if (backend === 'local') return { ...here, ...plain, transport: 'local' };
    const remote = readable(worker, env);
    if (remote instanceof WorkerUnusable)
      return {
        ...neverProbed,
        ...plain,
        health: 'unavailable',
        last_error: remote.message,
        transport: 'executor',
        health_url: null,
      };
    const asked = facts.allowed && facts.enabled ? await probes.probe(remote, { fresh }) : neverProbed;
    return { ...asked, ...plain, transport: remote.transport, health_url: routeOf(remote.url, '/health') };
  }

  return {
    async list({ own, registered, referenced, isEditable }, { fresh } = { fresh: false }) {
      const mine = own.map((worker) =>
        entry(worker, { source: 'notebook', allowed: isEditable, enabled: true }, fresh),
      );
      const theirs = registered.map((worker) =>
        entry(worker, { source: 'server', allowed: worker.enabled, enabled: worker.enabled }, fresh),
      );
      const known = new Set(['local', ...own.map(({ name }) => name), ...registered.map(({ name }) => name)]);
      const lost = [...new Set(referenced)]
        .filter((name) => !known.has(name))
        .map(
          (name): WorkerEntry => ({
            ...neverProbed,
            name,
            backend: 'executor',
            runtime_id: null,
            config: {},
            source: 'referenced',
            allowed: false,
            enabled: false,
            transport: 'executor',
            health_url: null,
          }),
        );
      return [here, ...(await Promise.all(isEditable ? [...mine, ...theirs] : [...theirs, ...mine])), ...lost];
    },
  };
}

function readable(worker: WorkerDefinition, env: ListingParts['env']): RemoteWorker | WorkerUnusable {
  try {
    return remoteOf(worker, env);
  } catch (error) {
    if (error instanceof WorkerUnusable) return error;
    throw error;
  }
}

/** A token has no place in a list, not even as a mark. */
function visible(shown: ListingParts['shown'], config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(config).filter(
    ([key, value]) => key !== 'token' && value !== null && value !== undefined,
  );
  return shown(Object.fromEntries(kept));
}
