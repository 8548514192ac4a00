// `svc run`: a whole notebook without a page, for machines that check it. Cells run in order of the graph; what a failure
// spoils is skipped, everything else runs. The report can be compared with the one of another day.
import fs from 'node:fs/promises';
import { shortened } from '../../agents/index.ts';
import { parseArtifactUri } from '../../artifacts/index.ts';
import type { CellOutcome, OpenSession } from '../../notebook/index.ts';
import { UsageError } from '../failure.ts';
import { printJson } from '../print.ts';
import { dim, green, red, yellow } from './answers.ts';
import { openHere } from './here.ts';
import { junitReport } from './junit.ts';
import { notebookIn } from './target.ts';

export interface RunOptions {
  readonly force?: boolean;
  readonly quiet?: boolean;
  /** False with `--no-sync`. */
  readonly sync: boolean;
  readonly format: string;
  readonly junit?: string;
}

export interface CellReport {
  readonly id: string;
  readonly status: 'ok' | 'error' | 'skipped';
  readonly duration_ms: number;
  readonly cache_hit: boolean;
  readonly reason?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly error?: string;
  readonly traceback?: string;
  readonly error_code?: string;
  readonly provenance_hash?: string;
  readonly outputs?: readonly object[];
  readonly tests?: readonly { readonly name: string; readonly outcome: string; readonly message: string }[];
}

export async function runNotebook(directory: string, options: RunOptions): Promise<void> {
  const place = notebookIn(directory);
  const offline = await openHere({ storesLeaves: true });
  const isHuman = options.format !== 'json';
  const say = (line: string): void => {
    if (isHuman && !options.quiet) process.stdout.write(`${line}\n`);
  };
  const began = performance.now();
  try {
    if (options.sync) say(dim('syncing environment…'));
    const session = await offline.open(place, { sync: options.sync });
    const { environment, live } = session;
    const reason = environment.blocksRuns();
    if (reason !== null)
      throw new UsageError(`the environment is not ready: ${environment.state().sync_error ?? reason}`);
    const { error } = live.dag();
    if (error !== undefined) throw new UsageError(error);
    say(`running: ${place}`);
    const cells: CellReport[] = [];
    const spoilt = new Set<string>();
    for (const id of live.dag().topological_order) {
      const report = await runCell(session, id, spoilt, options.force ?? false);
      if (report.status !== 'ok') spoilt.add(id);
      cells.push(report);
      say(lineOf(live.cellRecord(id).source, report));
      if (report.error !== undefined) say(`    ${report.error.split('\n').join('\n    ')}`);
    }
    const success = cells.every(({ status }) => status !== 'error');
    const duration_ms = Math.round(performance.now() - began);
    if (options.junit !== undefined) await fs.writeFile(options.junit, junitReport(live.notebook().name, cells));
    if (isHuman) process.stdout.write(`${summaryOf(cells, duration_ms)}\n`);
    else printJson({ notebook: place, success, duration_ms, cells });
    if (!success) process.exitCode = 1;
  } finally {
    await offline.close();
  }
}

async function runCell(
  session: OpenSession,
  id: string,
  spoilt: ReadonlySet<string>,
  force: boolean,
): Promise<CellReport> {
  const { live } = session;
  const { upstream_ids, language, test_source } = live.cellRecord(id);
  if (upstream_ids.some((above) => spoilt.has(above)))
    return { id, status: 'skipped', duration_ms: 0, cache_hit: false, reason: 'upstream failed' };
  if (language === 'markdown') return { id, status: 'ok', duration_ms: 0, cache_hit: true };
  const outcome = await live.runner.run(id, force ? 'force' : 'normal');
  if (!outcome) throw new Error('Another run holds the notebook.');
  const report = reportOf(outcome);
  const outputs = await outputsOf(session, outcome);
  const tests = test_source === '' || report.status !== 'ok' ? undefined : await session.tests.run(id);
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

function lineOf(source: string, { id, status, cache_hit, duration_ms, reason }: CellReport): string {
  const label = source.split('\n').find((line) => line.trim() !== '' && !line.trim().startsWith('#')) ?? '';
  const mark =
    status === 'ok'
      ? `${green('✓')} ${cache_hit ? 'cached' : `${duration_ms}ms`}`
      : status === 'error'
        ? `${red('✗')} ${duration_ms}ms`
        : `${yellow('-')} ${reason}`;
  return `${id.slice(0, 8).padEnd(8)}  ${label.slice(0, 32).padEnd(32)}  ${mark}`;
}

function summaryOf(cells: readonly CellReport[], duration: number): string {
  const count = (fits: (cell: CellReport) => boolean): number => cells.filter(fits).length;
  const ran = count(({ status, cache_hit }) => status === 'ok' && !cache_hit);
  const cached = count(({ cache_hit }) => cache_hit);
  const failed = count(({ status }) => status === 'error');
  const skipped = count(({ status }) => status === 'skipped');
  return `${ran} ran, ${cached} cached, ${failed} failed, ${skipped} skipped in ${(duration / 1000).toFixed(1)}s`;
}
