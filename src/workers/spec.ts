// What a notebook or the server's registry says of a worker, read once: where it is, how it is spoken to, by which token.
import { createHash } from 'node:crypto';

export interface WorkerDefinition {
  readonly name: string;
  readonly backend: 'local' | 'executor';
  readonly runtime_id: string | null;
  readonly config: Readonly<Record<string, unknown>>;
}

export type Transport = 'direct' | 'signed';

/** Where cells run there: in the notebook's locked environment, in the worker's own, or in the locked one where it can. */
export type EnvironmentMode = 'locked' | 'own' | 'auto';

export interface RemoteWorker {
  readonly name: string;
  /** Where cells are pushed to. */
  readonly url: URL;
  readonly transport: Transport;
  readonly environment: EnvironmentMode;
  readonly token: string | null;
  /** Where the worker reaches this server; null: as the server knows itself. */
  readonly svcUrl: string | null;
  readonly runtimeId: string | null;
}

export class WorkerUnusable extends Error {
  override name = 'WorkerUnusable';
}

const transports: Readonly<Record<string, Transport>> = {
  direct: 'direct',
  signed: 'signed',
  manifest: 'signed',
  build: 'signed',
};

const environments: Readonly<Record<string, EnvironmentMode>> = { auto: 'auto', locked: 'locked', own: 'own' };

const knownRoute = /\/(?:v1\/execute-manifest|v1\/notebook-execute|v1\/execute|execute)$/;

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** `tokens` are those that are only in memory; variables of `env` come first. */
export function remoteOf(
  { name, runtime_id: runtimeId, config }: WorkerDefinition,
  env: Readonly<Record<string, string | undefined>>,
  tokens: ReadonlyMap<string, string> = new Map(),
): RemoteWorker {
  const url = addressOf(config.url);
  if (!url)
    throw new WorkerUnusable(
      `The worker ${name} has no http address; set config.url to where it serves, like http://gpu.example:9000.`,
    );
  const transport = transports[textOf(config.transport) ?? 'direct'];
  if (!transport) throw new WorkerUnusable(`The worker ${name} has an unknown transport; use direct or signed.`);
  const environment = environments[textOf(config.environment) ?? 'auto'];
  if (!environment) throw new WorkerUnusable(`The worker ${name} has an unknown environment; use auto, locked or own.`);
  const variable = textOf(config.token_env);
  const token = (variable === null ? null : textOf(env[variable])) ?? textOf(config.token) ?? tokens.get(name) ?? null;
  return { name, url, transport, environment, token, svcUrl: textOf(config.svc_url), runtimeId };
}

/**
 * The route that takes cells, where an address names only the machine or a worker behind a relay; whoever names another
 * route means it.
 */
function addressOf(value: unknown): URL | null {
  const address = textOf(value);
  const url = address === null ? null : URL.parse(address);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  const base = url.pathname.replace(/\/+$/, '');
  if (base === '' || /\/w\/[^/]+$/.test(base)) url.pathname = `${base}/v1/execute`;
  else if (knownRoute.test(base)) url.pathname = base;
  return url;
}

/**
 * What of a worker enters the key of a result. Tokens are left out: a new one changes nothing about what is computed.
 */
export function identityOf(worker: WorkerDefinition | undefined, name: string): string {
  if (!worker) return `unknown:${name}`;
  const { backend, runtime_id, config } = worker;
  const mode = textOf(config.environment) ?? 'auto';
  if (runtime_id !== null) return `${backend}:${runtime_id}${mode === 'auto' ? '' : `:${mode}`}`;
  const kept = Object.entries(config)
    .filter(([key, value]) => key !== 'token' && key !== 'token_env' && value !== null && value !== undefined)
    .filter(([key]) => key !== 'environment' || mode !== 'auto')
    .map(([key, value]) => [key, key === 'url' ? (completed(value) ?? value) : value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (kept.length === 0) return `${backend}:${name}`;
  const digest = createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(kept)))
    .digest('hex');
  return `${backend}:${name}:${digest}`;
}

/** The address as it would be written with its route; undefined where it is already. */
function completed(value: unknown): string | undefined {
  const url = addressOf(value);
  return url && url.pathname !== URL.parse(textOf(value) ?? '')?.pathname ? url.href : undefined;
}

/** Another route of the same worker; null stands for the root of its address. */
export function routeOf(url: URL, route: string): string {
  const base = url.pathname.replace(/\/+$/, '').replace(knownRoute, '');
  return `${url.origin}${base}${route}`;
}
