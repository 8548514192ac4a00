// What each frame of the server does to the model.
import { kindOf } from '../cellLanguages.ts';
import type { EnvironmentJob, KnownFrame, ServerPayload } from '../protocol/index.ts';
import { acknowledged, crossed, refused, sourceTold } from './drafts.ts';
import type { CellModel, NotebookModel } from './model.ts';
import { notAllowed } from './notAllowed.ts';
import { noticed } from './notices.ts';
import { heard, nothingPrinted, told } from './printed.ts';
import { whyJobFailed } from './readings.ts';
import { cellFrom, jobFrom, readTraceback, remoteFrom, suggested } from './records.ts';
import { withState } from './wholeState.ts';

/** Gives a map that may be written to; within one batch of frames it is the same one. */
export type WritableCells = (cells: ReadonlyMap<string, CellModel>) => Map<string, CellModel>;

export function writableCells(): WritableCells {
  let own: Map<string, CellModel> | undefined;
  return (cells) => {
    if (own === undefined || cells !== own) own = new Map(cells);
    return own;
  };
}

export function applyFrame(model: NotebookModel, frame: KnownFrame, writable: WritableCells): NotebookModel {
  const change = (of: NotebookModel, cellId: string, to: (cell: CellModel) => CellModel): NotebookModel => {
    const cell = of.cells.get(cellId);
    return cell ? { ...of, cells: writable(of.cells).set(cellId, to(cell)) } : of;
  };

  switch (frame.type) {
    case 'notebook_state':
      return withState(model, frame.payload);
    case 'cell_status':
      return answered(
        change(model, frame.payload.cell_id, (cell) => withStatus(cell, frame.payload, !model.needsSync)),
        frame.payload,
      );
    case 'cell_console':
      return change(model, frame.payload.cell_id, (cell) => ({
        ...cell,
        ...heard(cell, frame.payload, frame.payload.chunk_seq === 0),
      }));
    case 'cell_output':
      return change(model, frame.payload.cell_id, (cell) => ({ ...cell, ...outcome(cell, frame.payload) }));
    case 'cell_error':
      // A run of several cells ends at the first that fails.
      return change({ ...model, runProgress: null }, frame.payload.cell_id, (cell) => ({
        ...cell,
        ...failure(cell, frame.payload),
      }));
    case 'cell_question': {
      const { cell_id, question } = frame.payload;
      return change(model, cell_id, (cell) => ({ ...cell, question }));
    }
    case 'cell_iteration_progress': {
      const { cell_id, iteration, max_iter } = frame.payload;
      const progress = { done: iteration + 1, total: max_iter, word: 'iteration' };
      return change(model, cell_id, (cell) => ({ ...cell, progress }));
    }
    case 'cell_variant_progress': {
      const { cell_id, index, total } = frame.payload;
      const progress = { done: index + 1, total, word: 'variant' };
      return change(model, cell_id, (cell) => ({ ...cell, progress }));
    }
    case 'cell_test_results':
      return change(model, frame.payload.cell_id, (cell) => ({ ...cell, tests: frame.payload }));
    case 'cascade_prompt':
      return { ...model, cascades: [...withoutCascade(model, frame.payload.cell_id), frame.payload] };
    case 'read_confirm_prompt':
      return { ...model, reads: frame.payload };
    case 'cascade_progress': {
      const { completed, total } = frame.payload;
      return { ...model, runProgress: completed >= total ? null : { completed, total } };
    }
    case 'dag_update':
      return withGraph(model, frame.payload);
    case 'impact_preview':
      return { ...model, impact: frame.payload };
    case 'profiling_summary':
      return withProfile(model, frame.payload);
    case 'inspect_result':
      return { ...model, inspections: [...model.inspections.slice(-199), frame.payload] };
    case 'widgets_kept':
      return { ...model, keptAnswers: [...model.keptAnswers.slice(-199), frame.payload] };
    case 'environment_job_started':
    case 'environment_job_progress':
      return { ...model, job: frame.payload.environment_job };
    case 'environment_job_finished':
      return withJobEnd(model, frame.payload);
    case 'environment_job_queue':
      return { ...model, jobQueue: frame.payload.jobs };
    case 'presence':
      return { ...model, presence: frame.payload };
    case 'cursors':
      return { ...model, cursors: frame.payload.cursors };
    case 'agent_activity':
      return { ...model, agents: frame.payload };
    case 'notebook_comments':
      return { ...model, comments: frame.payload.comments };
    case 'agent_note':
      return withNote(model, frame.payload);
    case 'session_closed':
      return { ...model, connection: 'closed', closed: frame.payload };
    case 'error':
      return withRefusal(model, frame.payload);
    default:
      return model;
  }
}

/** The same list where there is no such question: whoever looks at it sees no change. */
export function withoutCascade({ cascades }: NotebookModel, cellId: string): NotebookModel['cascades'] {
  const left = cascades.filter(({ cell_id }) => cell_id !== cellId);
  return left.length === cascades.length ? cascades : left;
}

/** A question about a cell is over once the cell runs, whoever let it. */
function answered(model: NotebookModel, { cell_id, status }: ServerPayload<'cell_status'>): NotebookModel {
  const isOver = status === 'running' || status === 'ready';
  const cascades = isOver ? withoutCascade(model, cell_id) : model.cascades;
  if (status === 'running') {
    const reads = model.reads?.cells.some((read) => read.cell_id === cell_id) ? null : model.reads;
    const brokenOff = model.brokenOff.filter((id) => id !== cell_id);
    return { ...model, cascades, reads, brokenOff, lastStarted: cell_id };
  }
  // A cell that ran and has nothing to show for it was cancelled, and the rest of the run with it.
  const wasCancelled = status === 'idle' && model.lastStarted === cell_id;
  return { ...model, cascades, runProgress: wasCancelled ? null : model.runProgress };
}

/** `isWhole`: no frame is missing. A run that ends without a result or a failure was cancelled, if neither was missed. */
function withStatus(cell: CellModel, payload: ServerPayload<'cell_status'>, isWhole: boolean): CellModel {
  const { status } = payload;
  // News of a run on a worker, not the beginning of one.
  if (status === 'running' && cell.status === 'running' && payload.remote_build_state !== undefined)
    return { ...cell, remote: remoteFrom(payload) };
  if (status === 'running')
    return {
      ...cell,
      status,
      ...nothingPrinted,
      isImported: false,
      progress: null,
      remote: remoteFrom(payload),
      startedAt: Date.now(),
      stoppedAfterMs: null,
      mutationWarnings: [],
      toJoin: [],
      ranSource: cell.source,
    };
  const causality = payload.causality ?? (payload.staleness_reasons === undefined ? cell.causality : null);
  const problem = status === 'error' ? cell.problem : null;
  const stillStopped = status === 'ready' ? null : cell.stoppedAfterMs;
  const stoppedAfterMs = cell.startedAt !== null && isWhole ? Date.now() - cell.startedAt : stillStopped;
  const toJoin = payload.to_join ?? [];
  return { ...cell, status, causality, problem, toJoin, stoppedAfterMs, startedAt: null, progress: null, remote: null };
}

/** What controls say is what their cell gave, whoever turned them. */
function turned(widget: CellModel['widget'], outputs: ServerPayload<'cell_output'>['outputs']): CellModel['widget'] {
  if (!widget) return null;
  const given = widget.descriptors.flatMap(({ name }) => {
    const output = outputs[name];
    return output ? [[name, output.preview] as const] : [];
  });
  return { ...widget, values: { ...widget.values, ...Object.fromEntries(given) } };
}

function outcome(cell: CellModel, payload: ServerPayload<'cell_output'>): Partial<CellModel> {
  return {
    ...told(cell.printed, payload.stdout, payload.stderr),
    displays: payload.displays ?? [],
    cacheHit: payload.cache_hit,
    // A result that was found took as long as the run that made it.
    durationMs: payload.cache_hit ? cell.durationMs : payload.duration_ms,
    mutationWarnings: payload.mutation_warnings.map(({ message }) => message),
    artifactUris: payload.artifact_uris,
    effects: payload.effects ?? null,
    widget: turned(cell.widget, payload.outputs),
    problem: null,
    startedAt: null,
  };
}

function failure(cell: CellModel, payload: ServerPayload<'cell_error'>): Partial<CellModel> {
  const read = readTraceback(payload.error_text ?? payload.error);
  const type = payload.error_type ?? read.type;
  const message = payload.error.startsWith(`${type}: `) ? payload.error.slice(type.length + 2) : payload.error;
  return {
    ...told(cell.printed, payload.stdout ?? cell.stdout, payload.stderr ?? cell.stderr),
    displays: [],
    cacheHit: false,
    startedAt: null,
    problem: {
      type,
      message,
      frames: payload.traceback ?? read.frames,
      text: payload.error_text ?? payload.error,
      install: suggested(payload),
    },
  };
}

function withGraph(model: NotebookModel, payload: ServerPayload<'dag_update'>): NotebookModel {
  const told = payload.cells.some(({ source }) => source !== null);
  const base = told ? model : acknowledged(model);
  const cells = new Map(base.cells);
  let { drafts } = base;
  for (const shape of payload.cells) {
    const cell = cells.get(shape.id);
    if (!cell) continue;
    if (shape.source !== null) drafts = sourceTold({ drafts, sentOrder: base.sentOrder }, shape.id, shape.source);
    cells.set(shape.id, {
      ...cell,
      source: shape.source ?? cell.source,
      isDefinitions: shape.is_module_cell,
      defines: shape.defines,
      references: shape.references,
      upstream: shape.upstream_ids,
      downstream: shape.downstream_ids,
      diagnostics: shape.annotation_diagnostics,
      shadowWarnings: shape.shadow_warnings,
      variantGroup: shape.variant_group,
      variantName: shape.variant_name,
      variantActive: shape.variant_active,
      updatedBy: shape.updated_by,
    });
  }
  const hasOtherControls = [...cells.values()].some(
    ({ id, language, source }) => kindOf(language) === 'controls' && source !== model.cells.get(id)?.source,
  );
  return {
    ...base,
    cells,
    drafts,
    edges: payload.edges,
    graphError: null,
    variantGroups: payload.variant_groups,
    // Which controls a source describes only the whole state tells.
    needsSync: base.needsSync || hasOtherControls,
  };
}

function withProfile(model: NotebookModel, profile: ServerPayload<'profiling_summary'>): NotebookModel {
  const cells = new Map(model.cells);
  for (const { cell_id, duration_ms } of profile.cell_profiles) {
    const cell = cells.get(cell_id);
    if (cell && duration_ms > 0) cells.set(cell_id, { ...cell, durationMs: duration_ms });
  }
  return { ...model, cells, profile };
}

const keptNotes = 200;

function withNote(model: NotebookModel, { source, text }: ServerPayload<'agent_note'>): NotebookModel {
  const agentNotes = [...model.agentNotes.slice(1 - keptNotes), { source, text, at: Date.now() }];
  // What their tools do is told as they do it.
  return { ...(source === 'agent' ? noticed(model, text, 'plain') : model), agentNotes };
}

function withJobEnd(model: NotebookModel, payload: ServerPayload<'environment_job_finished'>): NotebookModel {
  const { environment_job, environment, cells } = payload;
  const job = jobFrom(environment_job);
  // One that waited runs next and takes its place: nobody may hear of it otherwise.
  const told = job?.status === 'failed' ? noticed(model, `${job.command}: ${reasonOf(job)}`, 'error') : model;
  return {
    ...told,
    job,
    jobHistory: job ? [job, ...model.jobHistory.filter(({ id }) => id !== job.id)].slice(0, 8) : model.jobHistory,
    environment: environment ?? model.environment,
    cells: cells
      ? new Map(cells.map((record) => [record.id, cellFrom(record, model.cells.get(record.id))] as const))
      : model.cells,
  };
}

const longestReason = 200;

/** In a line; the panel of the environment has the rest. */
function reasonOf(job: EnvironmentJob): string {
  const line = whyJobFailed(job);
  return line.length > longestReason ? `${line.slice(0, longestReason)} …` : line;
}

/** Refusals of a text, which stays with its reason. */
const keepsDraft: ReadonlySet<string> = new Set(['cell_locked', 'cell_busy', 'source_too_long']);

const isWidget = (model: NotebookModel, cellId: string): boolean => {
  const cell = model.cells.get(cellId);
  return cell !== undefined && kindOf(cell.language) === 'controls';
};

function withRefusal(model: NotebookModel, payload: ServerPayload<'error'>): NotebookModel {
  const { error, code, cell_id, held_by, source } = payload;
  if (code === 'sync_required') return { ...model, needsSync: true };
  if (cell_id !== undefined && code === 'source_changed' && source !== undefined)
    return crossed(model, cell_id, source);
  if (cell_id !== undefined && keepsDraft.has(code ?? ''))
    return refused(model, cell_id, { message: error, heldBy: held_by ?? null, isBusy: code === 'cell_busy' });
  // Asked too early: it waits for its turn, before what was asked for later. What was chosen on a widget waits on the server.
  if (cell_id !== undefined && code === 'notebook_busy' && isWidget(model, cell_id)) return model;
  if (cell_id !== undefined && code === 'notebook_busy')
    return { ...model, queue: [cell_id, ...model.queue.filter((id) => id !== cell_id)] };
  return noticed(model, code === 'insufficient_scope' ? notAllowed(error) : error, 'error');
}
