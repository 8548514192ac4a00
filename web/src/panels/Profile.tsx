// Where the time went, what it took in memory and on disk, and what reuse saved.
import { useEffect } from 'react';
import { useModel, useNotebook } from '../notebook/context.ts';
import { bytes, duration, labelOf, type NotebookModel } from '../state/index.ts';
import { Dot } from '../ui/index.ts';
import { lastRun, type Span } from './timeline.ts';

export function ProfilePanel() {
  const { link, view, isReadOnly } = useNotebook();
  const profile = useModel((model) => model.profile);
  const model = useModel((state) => state);
  useEffect(() => {
    if (!isReadOnly) link.send('profiling_request', {});
  }, [link, isReadOnly]);
  if (isReadOnly) return <p className="panel-note">A viewer is not told where the time of a notebook went.</p>;
  if (!profile) return <p className="panel-note">Nothing measured yet.</p>;
  const rows = profile.cell_profiles
    .filter(({ duration_ms }) => duration_ms > 0)
    .sort((a, b) => b.duration_ms - a.duration_ms);
  const longest = rows[0]?.duration_ms ?? 1;
  const run = lastRun(profile.cell_profiles);
  return (
    <>
      <dl className="facts">
        <dt>Computed</dt>
        <dd>{duration(profile.total_execution_ms)}</dd>
        <dt>Saved by reuse</dt>
        <dd>{duration(profile.cache_savings_ms)}</dd>
        <dt>Reused / computed</dt>
        <dd>
          {profile.cache_hits} / {profile.cache_misses}
        </dd>
      </dl>
      {run.length > 0 && (
        <>
          <h3>Last run</h3>
          <ol className="rows" aria-label="Last run">
            {run.map((span) => (
              <RunSpan
                key={span.profile.cell_id}
                span={span}
                whole={Math.max(...run.map(({ end }) => end))}
                model={model}
              />
            ))}
          </ol>
        </>
      )}
      <h3>Longest first</h3>
      {rows.length === 0 && <p className="panel-note">No cell has run yet.</p>}
      <ul className="rows">
        {rows.map(({ cell_id, duration_ms, cache_hit, execution_count }) => (
          <li key={cell_id}>
            <button
              type="button"
              className="row"
              onClick={() => view.send({ kind: 'jump', cellId: cell_id, line: null })}
            >
              <Dot status={model.cells.get(cell_id)?.status ?? 'idle'} />
              <span>{labelOf(model, cell_id)}</span>
              <small>
                {duration(duration_ms)} · {cache_hit ? 'reused' : `${execution_count}×`}
              </small>
              <span className="time-bar" style={{ width: `${(100 * duration_ms) / longest}%` }} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function RunSpan({ span, whole, model }: { span: Span; whole: number; model: NotebookModel }) {
  const { view } = useNotebook();
  const { cell_id, stored_bytes = 0, peak_memory_bytes = null } = span.profile;
  const facts = [
    duration(span.end - span.begin),
    ...(peak_memory_bytes === null ? [] : [`${bytes(peak_memory_bytes)} memory`]),
    ...(stored_bytes === 0 ? [] : [`${bytes(stored_bytes)} stored`]),
  ];
  const left = (100 * span.begin) / whole;
  return (
    <li>
      <button type="button" className="row" onClick={() => view.send({ kind: 'jump', cellId: cell_id, line: null })}>
        <Dot status={model.cells.get(cell_id)?.status ?? 'idle'} />
        <span>{labelOf(model, cell_id)}</span>
        <small>{facts.join(' · ')}</small>
        <span
          className="time-bar"
          style={{ marginLeft: `${left}%`, width: `${Math.max(1, (100 * (span.end - span.begin)) / whole)}%` }}
        />
      </button>
    </li>
  );
}
