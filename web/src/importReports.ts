// What an import changed, kept while this tab is open: it is shown on the notebook's page, and again when asked for.
import type { ForeignReport, SnapshotReport } from '../../src/protocol/index.ts';
import { tabKept } from './ui/kept.ts';

export type ImportReport = ForeignReport | SnapshotReport;

interface KeptReport {
  readonly report: ImportReport;
  readonly isSeen: boolean;
}

const keyOf = (path: string): string => `svc.import.${path}`;

const isKept = (value: unknown): value is KeptReport =>
  typeof value === 'object' && value !== null && 'report' in value && 'isSeen' in value;

export const isForeign = (report: ImportReport): report is ForeignReport => 'findings' in report;

/** True when the report tells more than how many cells there are. */
export function saysSomething(report: ImportReport): boolean {
  if (!isForeign(report)) return true;
  const { findings, skipped_cells, captured_deps, warnings, ambiguous_names: names, data_files: files } = report;
  // One that was kept by an earlier version lacks the last.
  return [findings, skipped_cells, captured_deps, warnings, names, files].some((list) => list?.length > 0);
}

export function keepReport(path: string, report: ImportReport, isSeen = false): void {
  tabKept.setItem(keyOf(path), JSON.stringify({ report, isSeen }));
}

export function reportOf(path: string): KeptReport | undefined {
  try {
    const kept: unknown = JSON.parse(tabKept.getItem(keyOf(path)) ?? 'null');
    return isKept(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}
