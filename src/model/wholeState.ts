// The whole notebook at once: what opening answers, and what a sync or a change of its structure brings.
import type { NotebookState } from '../protocol/index.ts';
import { homecoming, orphan, sourceTold } from './drafts.ts';
import type { CellModel, Draft, NotebookModel, Orphan } from './model.ts';
import { cellFrom, jobFrom } from './records.ts';

export function withState(model: NotebookModel, state: NotebookState): NotebookModel {
  const cells = new Map<string, CellModel>();
  let drafts: ReadonlyMap<string, Draft> = model.drafts;
  for (const record of state.cells) {
    drafts = sourceTold({ drafts, sentOrder: model.sentOrder }, record.id, record.source);
    cells.set(record.id, cellFrom(record, model.cells.get(record.id)));
  }
  const isHome = ({ from }: Orphan): boolean =>
    from !== undefined && cells.has(from.cellId) && !drafts.has(from.cellId);
  const home = model.orphans.filter(isHome);
  for (const one of home)
    drafts = homecoming({ drafts, sentOrder: model.sentOrder }, one, cells.get(one.from?.cellId ?? '')?.source ?? '');
  const gone = [...drafts].filter(([id]) => !cells.has(id));
  return {
    ...model,
    loaded: true,
    id: state.id,
    name: state.name,
    path: state.path || model.path,
    worker: typeof state.worker === 'string' ? state.worker : null,
    timeout: typeof state.timeout === 'number' ? state.timeout : null,
    reactive: state.reactive ?? false,
    keepsWidgets: state.keep_widgets ?? false,
    strictPackages: state.strict_packages ?? false,
    env: textsOf(state.env),
    secrets: {
      names: Object.entries(state.env_sources ?? {}).flatMap(([name, source]) => (source === 'manual' ? [] : [name])),
      problem: state.env_fetch_error ?? null,
      config: state.secret_manager_config ?? {},
    },
    ai: state.ai ?? null,
    mounts: state.mounts ?? [],
    connections: state.connections ?? [],
    malformedConnections: state.malformed_connections ?? [],
    order: state.cells.map(({ id }) => id),
    cells,
    edges: state.dag.edges,
    graphError: state.dag.error ?? null,
    variantGroups: state.variant_groups,
    environment: state.environment,
    job: jobFrom(state.environment_job),
    jobHistory: state.environment_job_history.map(jobFrom).filter((job) => job !== null),
    jobQueue: state.environment_job_queue ?? [],
    drafts: gone.length === 0 ? drafts : new Map([...drafts].filter(([id]) => cells.has(id))),
    orphans: [
      ...model.orphans.filter((one) => !home.includes(one)),
      ...gone.map(([id, draft]) => orphan(model, id, draft)).filter(({ text }) => text.trim() !== ''),
    ],
  };
}

const textsOf = (value: unknown): Record<string, string> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
    : {};
