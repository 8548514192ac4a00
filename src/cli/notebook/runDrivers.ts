// Where `svc run` runs its cells: in this process, or in the server that has the notebook open.
import { z } from 'zod';
import { type Desk, shortened } from '../../agents/index.ts';
import { parseArtifactUri } from '../../artifacts/index.ts';
import type { CellOutcome, OpenSession } from '../../notebook/index.ts';
import { UsageError } from '../failure.ts';
import { openHere } from './here.ts';
import type { CellReport, RunDriver } from './run.ts';

/** Brings the environment up to date first, unless `sync` is false. */
export async function driveHere(place: string, sync: boolean, defaultTimeout: number | undefined): Promise<RunDriver> {
  const offline = await openHere({ storesLeaves: true, defaultTimeout });
  try {
    const session = await offline.open(place, { sync });
    const { environment, live } = session;
    const reason = environment.blocksRuns();
    if (reason !== null)
      throw new UsageError(`the environment is not ready: ${environment.state().sync_error ?? reason}`);
    const { error, topological_order: order } = live.dag();
    if (error !== undefined) throw new UsageError(error);
    return {
      name: live.notebook().name,
      order,
      about: (id) => live.cellRecord(id),
      run: (id, mode) => runHere(session, id, mode),
      close: () => offline.close(),
    };
  } catch (error) {
    await offline.close();
    throw error;
  }
}

async function runHere(session: OpenSession, id: string, mode: 'normal' | 'force'): Promise<CellReport> {
  const { live } = session;
  const outcome = await live.runner.run(id, mode);
  if (!outcome) throw new Error('Another run holds the notebook.');
  const report = reportOf(outcome);
  const outputs = await outputsOf(session, outcome);
  const hasTests = live.cellRecord(id).test_source !== '' && report.status === 'ok';
  const tests = hasTests ? await session.tests.run(id) : undefined;
  return {
    ...report,
    ...(outputs.length === 0 ? {} : { outputs }),
    ...(tests ? { tests: tests.tests } : {}),
  };
}

function reportOf({ cellId, status, cacheHit, executed, result, error }: CellOutcome): CellReport {
  const run = executed?.run;
  const text = (name: 'stdout' | 'stderr'): object => {
    const printed = run?.[name] ?? result?.[name] ?? '';
    return printed === '' ? {} : { [name]: shortened(printed) };
  };
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
    ...(run && run.mutationWarnings.length > 0 ? { mutation_warnings: run.mutationWarnings } : {}),
    ...(run?.errorCode === undefined ? {} : { error_code: run.errorCode }),
    ...(result ? { provenance_hash: result.key } : {}),
  };
}

async function outputsOf({ live }: OpenSession, { result }: CellOutcome): Promise<object[]> {
  const named = [
    ...Object.entries(result?.variables ?? {}).map(([name, { uri }]) => ({ name, uri })),
    ...(result?.displays ?? []).map(({ artifact_uri: uri }, index) => ({ name: `__display__${index}`, uri })),
  ];
  const found: object[] = [];
  for (const { name, uri } of named) {
    const address = parseArtifactUri(uri);
    const version = address && (await live.artifact(address));
    if (version)
      found.push({ name, artifact_id: version.id, version: version.version, content_sha256: version.contentSha256 });
  }
  return found;
}

const dagShape = z.looseObject({ error: z.string().nullable(), topological_order: z.array(z.string()) });

/** A server says less of a run than is known here: addresses and hashes are left out. */
export async function driveThere(desk: Desk): Promise<RunDriver> {
  const { error, topological_order: order } = dagShape.parse(await desk.dag());
  if (error !== null) throw new UsageError(error);
  const cells = new Map((await desk.cells()).map((cell) => [cell.id, cell]));
  const { name } = z.looseObject({ name: z.string() }).parse(await desk.status());
  return {
    name,
    order,
    about: (id) => cells.get(id) ?? { source: '', language: 'python', upstream_ids: [] },
    async run(id, mode) {
      const { status, duration_ms, cache_hit, stdout, stderr, error: reason, error_code } = await desk.run(id, mode);
      const tests = status === 'ok' && cells.get(id)?.test ? await desk.test(id) : undefined;
      return {
        id,
        status: status === 'ok' ? 'ok' : 'error',
        duration_ms,
        cache_hit,
        ...(stdout === '' ? {} : { stdout }),
        ...(stderr === '' ? {} : { stderr }),
        ...(reason === null ? {} : { error: reason }),
        ...(error_code === null ? {} : { error_code }),
        ...(tests ? { tests: tests.cases } : {}),
      };
    },
    close: async () => {},
  };
}
