// What a bundle says of a run, as any other run is told.
import type { BundleManifest } from '../bundle/index.ts';
import { type Bundle, BundleInvalid, type BundleLimits, readBundle, type WireEffects } from '../bundle/index.ts';
import type { CellError, Effects, Job, RunResult } from '../runtimes/index.ts';
import { suggestPythonInstall } from '../suggestInstall.ts';
import { RemoteFailure, type RemotePlace } from './failure.ts';

export async function runFromBundle(
  source: AsyncIterable<Uint8Array>,
  job: Job,
  limits: BundleLimits,
  place: RemotePlace,
  begun: number,
): Promise<RunResult> {
  const bundle = await readBundle(source, job.outputDir, limits).catch((error: unknown) => {
    if (!(error instanceof BundleInvalid)) throw error;
    throw new RemoteFailure(
      'INVALID_NOTEBOOK_BUNDLE',
      `The worker ${place.worker} sent a bundle that is refused: ${error.message}.`,
    );
  });
  return resultOf(bundle, place, begun);
}

export function resultOf(
  { manifest, variables, described, displays, stdout, stderr }: Bundle,
  place: RemotePlace,
  begun: number,
): RunResult {
  const error = manifest.success ? null : errorOf(manifest);
  return {
    outcome: manifest.success ? 'success' : 'error',
    variables: { ...described, ...variables },
    displays,
    stdout,
    stderr,
    error,
    mutationWarnings: manifest.mutation_warnings,
    suggestInstall: error ? suggestPythonInstall([error.message, stderr], manifest.missing_packages) : null,
    durationMs: performance.now() - begun,
    executionMethod: 'executor',
    buildEnv: manifest.build_env,
    effects: manifest.effects && effectsFrom(manifest.effects),
    ...(manifest.until_reached === undefined ? {} : { untilReached: manifest.until_reached }),
    ...(manifest.tests === undefined ? {} : { tests: manifest.tests }),
    remote: { ...place, ...(place.buildId === undefined ? {} : { buildState: 'ready' }) },
  };
}

/** Files of another machine: nobody here knows what they were. Cells there have nobody to ask. */
function effectsFrom({ read, listed, ...rest }: WireEffects): Effects {
  const unknown = (path: string): Effects['read'][number] => ({ path, identity: null });
  return { ...rest, asked: false, read: read.map(unknown), listed: listed.map(unknown) };
}

/** Workers of others say it in one text: `ValueError: bad`, or only the message. */
function errorOf({ error_detail, error, traceback }: BundleManifest): CellError {
  if (error_detail) return error_detail;
  const message = error ?? 'The cell failed on its worker.';
  const named = /([A-Z]\w*(?:Error|Exception|Interrupt|Exit|Warning))\b(?=[^\n]*\s*$)/.exec(traceback ?? '')?.[1];
  return { error_type: named ?? 'RemoteError', message, traceback: [], text: traceback ?? message };
}
