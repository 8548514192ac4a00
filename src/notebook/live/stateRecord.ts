// A whole notebook as clients see it: what open and a sync answer, and what every change of its structure tells.
import type { NotebookEnvironment } from '../../environments/index.ts';
import { frameProtocol, type NotebookState, type QueuedJob } from '../../protocol/index.ts';
import { withConsoleByReference } from './consoleByReference.ts';
import type { LiveNotebook } from './liveNotebook.ts';
import { envRecord, shownAi, shownConnection, shownMalformed, shownMount, shownTable, shownWorker } from './shown.ts';

export interface StateParts {
  readonly sessionId: string;
  readonly live: LiveNotebook;
  readonly environment: NotebookEnvironment;
  readonly jobQueue: { list(): readonly QueuedJob[] };
  /** Whether clients offer the choice of workers. */
  readonly workersPanel: 'shown' | 'hidden';
}

/** As it is told to every socket. */
export function toldState(parts: StateParts): NotebookState {
  const state = stateRecord(parts);
  return { ...state, cells: state.cells.map(withConsoleByReference) };
}

export function stateRecord({ sessionId, live, environment, jobQueue, workersPanel }: StateParts): NotebookState {
  const notebook = live.notebook();
  const { secret_manager_config, ...env } = envRecord(notebook);
  const { environment: state, environment_job: job, environment_job_history, r_environment } = environment.payload();
  return {
    id: notebook.id,
    name: notebook.name,
    worker: notebook.worker,
    timeout: notebook.timeout,
    reactive: notebook.reactive,
    keep_widgets: notebook.keepsWidgets,
    strict_packages: notebook.strictPackages,
    ...env,
    ai: shownAi(notebook),
    workers: notebook.workers.map(shownWorker),
    mounts: notebook.mounts.map(shownMount),
    connections: notebook.connections.map(shownConnection),
    malformed_connections: notebook.malformedConnections.map(shownMalformed),
    catalogs: shownTable(notebook.catalogs),
    secret_manager_config,
    r: notebook.r,
    cells: live.cellRecords(),
    variant_groups: live.shape().variantGroups.map((group) => ({ ...group, members: [...group.members] })),
    created_at: notebook.createdAt,
    updated_at: notebook.updatedAt,
    environment: { ...state },
    environment_job: job === null ? null : { ...job },
    environment_job_history: environment_job_history.map((one) => ({ ...one })),
    environment_job_queue: jobQueue.list(),
    r_environment,
    session_id: sessionId,
    path: live.directory,
    dag: live.dag(),
    workers_panel: workersPanel,
    protocol_version: frameProtocol,
  };
}
