// How one cell went in a run without people, in the words of `svc run`: the same wherever the cell ran.
import { parseArtifactUri } from '../artifacts/index.ts';
import type { CellOutcome, LiveNotebook } from '../notebook/index.ts';
import type { CellReport } from '../protocol/index.ts';
import { shortened } from './views.ts';

export async function reportOf(live: LiveNotebook, outcome: CellOutcome): Promise<CellReport> {
  const { cellId, status, cacheHit, executed, result, error } = outcome;
  const run = executed?.run;
  const text = (name: 'stdout' | 'stderr'): object => {
    const printed = run?.[name] ?? result?.[name] ?? '';
    return printed === '' ? {} : { [name]: shortened(printed) };
  };
  const outputs = await outputsOf(live, outcome);
  return {
    id: cellId,
    status: status === 'ready' ? 'ok' : 'error',
    duration_ms: Math.round(run?.durationMs ?? 0),
    cache_hit: cacheHit,
    ...text('stdout'),
    ...text('stderr'),
    ...(status === 'ready'
      ? {}
      : { error: run?.error?.message ?? error ?? '', ...(run?.error ? { traceback: run.error.text } : {}) }),
    ...(run && run.mutationWarnings.length > 0
      ? { mutation_warnings: run.mutationWarnings.map((one) => ({ ...one })) }
      : {}),
    ...(run?.errorCode === undefined ? {} : { error_code: run.errorCode }),
    ...(result ? { provenance_hash: result.key } : {}),
    ...(outputs.length === 0 ? {} : { outputs }),
  };
}

async function outputsOf(live: LiveNotebook, { result }: CellOutcome): Promise<NonNullable<CellReport['outputs']>> {
  const named = [
    ...Object.entries(result?.variables ?? {}).map(([name, { uri }]) => ({ name, uri })),
    ...(result?.displays ?? []).map(({ artifact_uri: uri }, index) => ({ name: `__display__${index}`, uri })),
  ];
  const found: NonNullable<CellReport['outputs']> = [];
  for (const { name, uri } of named) {
    const address = parseArtifactUri(uri);
    const version = address && (await live.artifact(address));
    if (version)
      found.push({ name, artifact_id: version.id, version: version.version, content_sha256: version.contentSha256 });
  }
  return found;
}
