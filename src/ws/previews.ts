// Payloads that tell about a notebook without changing it: what a run would touch, where time went.
import type { LiveNotebook } from '../notebook/index.ts';

export function impactPayload(live: LiveNotebook, target: string): object {
  const session = live.session();
  const nameOf = (id: string): string => session.facts.get(id)?.name ?? id;
  const { above, below } = live.impactOf(target);
  const upstream = above.map((id) => ({
    cell_id: id,
    cell_name: nameOf(id),
    reason: id === target ? 'target' : session.cells.get(id)?.result ? 'stale' : 'missing',
    skip: false,
    estimated_ms: Math.round(live.lastDuration(id) ?? 0),
  }));
  return {
    target_cell_id: target,
    upstream,
    downstream: below.map((id) => ({
      cell_id: id,
      cell_name: nameOf(id),
      current_status: session.cells.get(id)?.status ?? 'idle',
      new_status: 'stale:upstream',
    })),
    estimated_ms: upstream.reduce((sum, { estimated_ms }) => sum + estimated_ms, 0),
  };
}

export async function profilingPayload(live: LiveNotebook): Promise<object> {
  const profiles = live.notebook().cells.map(({ id }) => {
    const record = live.cellRecord(id);
    const last = live.lastRun(id);
    return {
      cell_id: id,
      cell_name: live.session().facts.get(id)?.name ?? id,
      status: record.status,
      duration_ms: Math.round(live.lastDuration(id) ?? 0),
      cache_hit: record.cache_hit,
      artifact_uri: record.artifact_uri,
      execution_count: last?.count ?? 0,
      ended_at: last?.endedAt ?? null,
      stored_bytes: last?.storedBytes ?? 0,
      peak_memory_bytes: last?.peakBytes ?? null,
    };
  });
  const totals = live.totals();
  return {
    total_execution_ms: Math.round(totals.executionMs),
    cache_hits: totals.hits,
    cache_misses: totals.misses,
    cache_savings_ms: Math.round(totals.savedMs),
    team_cache_savings_ms: Math.round(totals.team.savedMs),
    team_cache_hits: totals.team.hits,
    team_contributors: totals.team.contributors,
    team_promotions: totals.team.promotions,
    total_artifact_bytes: await live.storedBytes(),
    cell_profiles: profiles,
  };
}
