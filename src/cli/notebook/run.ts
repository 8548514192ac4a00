// `svc run`: a whole notebook without a page, for machines that check it. Cells run in the order of the notebook, each after those it reads from; what a failure
// spoils is skipped, everything else runs. The report can be compared with the one of another day.
import { kindOf } from '../../cellLanguages.ts';
import type { CellReport } from '../../protocol/index.ts';
import { UsageError } from '../failure.ts';
import { writeOut } from '../outFile.ts';
import { printJson } from '../print.ts';
import { goOnUnread } from '../readers.ts';
import { checkFormat, dim, green, red, yellow } from './answers.ts';
import { junitReport } from './junit.ts';
import { driveHere, driverOf, type RunDriver } from './runDrivers.ts';
import { deskAt, heldBy, notebookIn } from './target.ts';
import { terminalAsk } from './terminalAsk.ts';

export interface RunOptions {
  readonly force?: boolean;
  readonly quiet?: boolean;
  /** False with `--no-sync`. */
  readonly sync: boolean;
  readonly timeout?: string;
  readonly format: string;
  readonly junit?: string;
}

export async function runNotebook(directory: string, options: RunOptions): Promise<void> {
  checkFormat(options.format);
  goOnUnread();
  const place = notebookIn(directory);
  const seconds = options.timeout === undefined ? undefined : Number(options.timeout);
  if (seconds !== undefined && !(Number.isFinite(seconds) && seconds > 0))
    throw new UsageError('--timeout: a number of seconds, more than 0');
  const isHuman = options.format === 'human';
  const say = (line: string): void => {
    if (isHuman && !options.quiet) process.stdout.write(`${line}\n`);
  };
  const began = performance.now();
  const driver = await open(place, options.sync, seconds, say);
  try {
    say(`running: ${place}`);
    const cells: CellReport[] = [];
    const spoilt = new Set<string>();
    for (const id of driver.order) {
      const report = await runCell(driver, id, spoilt, options.force ?? false);
      if (report.status !== 'ok') spoilt.add(id);
      cells.push(report);
      say(lineOf(driver.about(id).source, report));
      if (report.error !== undefined) say(`    ${report.error.split('\n').join('\n    ')}`);
    }
    const success = cells.every(({ status }) => status !== 'error');
    const duration_ms = Math.round(performance.now() - began);
    if (options.junit !== undefined) await writeOut(options.junit, junitReport(driver.name, cells));
    if (isHuman) process.stdout.write(`${summaryOf(cells, duration_ms)}\n`);
    else printJson({ notebook: place, success, duration_ms, cells });
    if (!success) process.exitCode = 1;
  } finally {
    await driver.close();
  }
}

/** A server that has the notebook open runs it: two would write beside each other. */
async function open(
  place: string,
  sync: boolean,
  seconds: number | undefined,
  say: (line: string) => void,
): Promise<RunDriver> {
  const holder = await heldBy(place);
  if (holder) {
    if (seconds !== undefined)
      throw new UsageError(
        `--timeout: ${holder.server} has the notebook open and keeps its own limits; close it there`,
      );
    return driverOf(deskAt(holder), async () => {});
  }
  if (sync) say(dim('syncing environment…'));
  return driveHere(place, sync, seconds);
}

async function runCell(
  driver: RunDriver,
  id: string,
  spoilt: ReadonlySet<string>,
  force: boolean,
): Promise<CellReport> {
  const { upstream_ids, language } = driver.about(id);
  if (upstream_ids.some((above) => spoilt.has(above)))
    return { id, status: 'skipped', duration_ms: 0, cache_hit: false, reason: 'upstream failed' };
  if (kindOf(language) === 'text') return { id, status: 'ok', duration_ms: 0, cache_hit: true };
  return driver.run(id, force ? 'force' : 'normal', terminalAsk());
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
