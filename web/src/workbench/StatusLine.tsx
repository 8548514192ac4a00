// The state of the machine in one line: environment, what runs, what reuse saved, the connection.

import { useModel, useNotebook } from '../notebook/context.ts';
import { goToQuestion } from '../notebook/running.ts';
import {
  type CellModel,
  type Connection,
  duration,
  labelOf,
  type NotebookModel,
  runningCell,
  waitingCell,
} from '../state/index.ts';
import { Dot, Progress } from '../ui/index.ts';

const words: Readonly<Record<Connection, string>> = {
  connecting: 'connecting …',
  live: 'connected',
  offline: 'not connected, trying again',
  closed: 'closed',
};

const runningLabel = (model: NotebookModel): string | null => {
  const cell = runningCell(model);
  return cell ? labelOf(model, cell.id) : null;
};

export function StatusLine() {
  const { view } = useNotebook();
  const environment = useModel((model) => model.environment);
  const job = useModel((model) => model.job);
  const waitingRun = useModel((model) => model.waitingRun);
  const running = useModel(runningLabel);
  const waiting = useModel(waitingCell);
  const progress = useModel((model) => model.runProgress);
  const saved = useModel((model) => model.profile?.cache_savings_ms ?? 0);
  const unsaved = useModel((model) => model.drafts.size);
  const connection = useModel((model) => model.connection);
  const isPreparing = job?.status === 'running';
  return (
    <footer className="status-line">
      <button type="button" onClick={() => view.send({ kind: 'panel', panel: 'environment' })}>
        <Dot status={isPreparing ? 'running' : environment.sync_state} />
        {isPreparing ? `${job.command} …` : environmentWords(environment)}
      </button>
      {isPreparing && <Progress value={null} label="Environment job" />}
      {isPreparing && waitingRun !== null && <span>the cells run when it is ready</span>}
      {waiting ? <Waiting cell={waiting} /> : running !== null && <span>running {running}</span>}
      {progress && (
        <>
          <Progress value={progress.completed / progress.total} label="Progress of the run" />
          <span>
            {progress.completed} of {progress.total}
          </span>
        </>
      )}
      <span className="grow" />
      {saved >= 1000 && <span className="wide-only">{duration(saved)} saved by cached results</span>}
      <span className="wide-only">{unsaved === 0 ? 'saved' : `${unsaved} unsaved`}</span>
      <span>
        <Dot status={connection} /> {words[connection]}
      </span>
    </footer>
  );
}

/** It may be out of sight, above the cell that was run. */
function Waiting({ cell }: { cell: CellModel }) {
  const session = useNotebook();
  const label = useModel((model) => labelOf(model, cell.id));
  return (
    <button type="button" className="waiting" onClick={() => goToQuestion(session, cell.id, lineOf(cell.question))}>
      {cell.question?.kind === 'debug' ? `${label} is stopped` : `${label} asks`}
    </button>
  );
}

const lineOf = (question: CellModel['question']): number | null =>
  question?.kind === 'debug' ? (question.frames.find(({ at }) => at === question.at)?.line ?? null) : null;

function environmentWords(environment: NotebookModel['environment']): string {
  if (environment.sync_state === 'failed') return 'environment failed';
  if (environment.sync_state === 'pending') return 'preparing the environment';
  const version = environment.runtime_python_version || environment.requested_python_version;
  const packages = environment.declared_package_count;
  return `Python ${typeof version === 'string' ? version : ''}${typeof packages === 'number' ? ` · ${packages} packages` : ''}`;
}
