// The results that are kept of a cell as clients see them: what it gave under earlier sources and inputs.
import type { CellResultRecord } from '../../protocol/index.ts';
import type { KeptResult } from '../run/index.ts';
import { shownDisplay } from './outputFrames.ts';

/** More are not looked through. */
const shownResults = 20;

export function resultRecords(results: Iterable<KeptResult>, current: string | undefined): CellResultRecord[] {
  return [...results]
    .sort((a, b) => b.createdAt - a.createdAt)
    .slice(0, shownResults)
    .map((result) => ({
      provenance_hash: result.key,
      created_at: result.createdAt,
      duration_ms: result.durationMs,
      is_current: result.key === current,
      source: result.source ?? null,
      stdout: result.stdout,
      stderr: result.stderr,
      display_outputs: result.displays.map(shownDisplay),
    }));
}
