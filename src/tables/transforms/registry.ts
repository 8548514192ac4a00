// Which computations this server offers: the built-in query always on a personal server, elsewhere only what the operator lists.
import { matchesGlob } from '../../identity/index.ts';
import type { Settings } from '../../settings/index.ts';

export const builtInQuery = 'duckdb_sql@v1';

export interface OfferedTransform {
  readonly timeoutSeconds: number;
  readonly maxOutputBytes: number;
  /** Null for no cap. */
  readonly maxInputBytes: number | null;
  readonly requiresScope: string | null;
}

/** `local://duckdb_sql@v1` means what follows the scheme. */
const bare = (executor: string): string => executor.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');

/** The built-in as the settings offer it; undefined where it is not offered. */
export function offeredTransform(executor: string, settings: Settings): OfferedTransform | undefined {
  const ref = bare(executor);
  const { enabled, registry } = settings.transformsConfig;
  const entry = enabled ? registry.find((one) => matchesGlob(one.ref, ref)) : undefined;
  const embedded = entry === undefined || entry.executor_url === '' || entry.executor_url === 'embedded://local';
  if (ref !== builtInQuery || !embedded) return undefined;
  if (entry === undefined && settings.deploymentMode === 'service') return undefined;
  return {
    timeoutSeconds: entry?.timeout_seconds || settings.buildRunnerDefaultTimeout,
    maxOutputBytes: entry?.max_output_bytes || settings.buildRunnerDefaultMaxOutput,
    maxInputBytes: entry?.max_input_bytes || null,
    requiresScope: entry?.requires_scope ?? null,
  };
}

/** Keys that begin with `_`, at any depth: they are the server's own. */
export function reservedKeys(params: unknown): string[] {
  if (Array.isArray(params)) return params.flatMap(reservedKeys);
  if (typeof params !== 'object' || params === null) return [];
  return Object.entries(params).flatMap(([key, value]) => [
    ...(key.startsWith('_') ? [key] : []),
    ...reservedKeys(value),
  ]);
}
