// Which transforms this server offers and who computes them: the built-in query always on a personal server, elsewhere only
// what the operator lists. The first entry that matches counts.
import { matchesGlob } from '../globs.ts';
import type { Settings } from '../settings/index.ts';

export const builtInQuery = 'duckdb_sql@v1';

export interface OfferedTransform {
  /** Where an executor is asked; null for the one in this process. */
  readonly executorUrl: string | null;
  readonly timeoutSeconds: number;
  readonly maxOutputBytes: number;
  /** Whether an operator said so: such a limit tells how large results are. */
  readonly hasOwnLimit: boolean;
  /** Null for no cap. */
  readonly maxInputBytes: number | null;
  readonly requiresScope: string | null;
}

export interface Transforms {
  /** Undefined where this server does not offer it. */
  find(executor: string): OfferedTransform | undefined;
  /** As they are listed, for whoever asked for another. */
  readonly refs: readonly string[];
}

/** `local://duckdb_sql@v1` means what follows the scheme. */
const bare = (executor: string): string => executor.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');

export function createTransforms(settings: Settings): Transforms {
  const listed = settings.transformsConfig.enabled ? settings.transformsConfig.registry : [];
  const isPersonal = settings.deploymentMode === 'personal';
  return {
    refs: [...new Set([...(isPersonal ? [builtInQuery] : []), ...listed.map(({ ref }) => ref)])],
    find(executor) {
      const ref = bare(executor);
      const entry = listed.find((one) => matchesGlob(one.ref, ref));
      if (!entry && !isPersonal) return undefined;
      const url = entry?.executor_url ?? '';
      const executorUrl = url === '' || url === 'embedded://local' ? null : url.replace(/\/$/, '');
      if (executorUrl === null && ref !== builtInQuery) return undefined;
      return {
        executorUrl,
        timeoutSeconds: entry?.timeout_seconds || settings.buildRunnerDefaultTimeout,
        maxOutputBytes: entry?.max_output_bytes || settings.buildRunnerDefaultMaxOutput,
        hasOwnLimit: Boolean(entry?.max_output_bytes),
        maxInputBytes: entry?.max_input_bytes || null,
        requiresScope: entry?.requires_scope ?? null,
      };
    },
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
