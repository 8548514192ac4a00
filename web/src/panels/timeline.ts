// The last run of a notebook as a picture of time: which cells ran, when each began, and how long it took.
import type { ServerPayload } from '../../../src/protocol/index.ts';

export type CellProfile = ServerPayload<'profiling_summary'>['cell_profiles'][number];

export interface Span {
  readonly profile: CellProfile;
  /** In milliseconds since the run began. */
  readonly begin: number;
  readonly end: number;
}

/** Cells that follow each other more slowly belong to different runs. */
const pauseMilliseconds = 2000;

export function lastRun(profiles: readonly CellProfile[]): readonly Span[] {
  const spans = profiles
    .flatMap((profile) =>
      profile.cache_hit || typeof profile.ended_at !== 'number' || profile.duration_ms <= 0
        ? []
        : [{ profile, begin: profile.ended_at - profile.duration_ms, end: profile.ended_at }],
    )
    .sort((a, b) => b.end - a.end);
  const run: Span[] = [];
  let began = Number.POSITIVE_INFINITY;
  for (const span of spans) {
    if (run.length > 0 && span.end < began - pauseMilliseconds) break;
    run.push(span);
    began = Math.min(began, span.begin);
  }
  return run
    .map(({ profile, begin, end }) => ({ profile, begin: begin - began, end: end - began }))
    .sort((a, b) => a.begin - b.begin);
}
