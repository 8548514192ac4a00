// Where cells may run: each worker with what it has, what it does and who waits there, and the cells of this notebook on it.
import { type ReactNode, useEffect, useState } from 'react';
import {
  addForAll,
  chooseWorker,
  defineBeside,
  disconnectSsh,
  messageOf,
  readWorkers,
  removeForAll,
  type Worker,
  type WorkersBody,
} from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { stopRunning } from '../notebook/running.ts';
import { useIsShared, useLacks } from '../scopes.ts';
import { labelOf, type NotebookModel, whereInWords } from '../state/index.ts';
import { Button, IconButton, Message, Progress } from '../ui/index.ts';
import { AddWorker } from './AddWorker.tsx';
import { Changeable } from './Changeable.tsx';
import { amountOf, loadOf } from './workerWords.ts';
import './workers.css';

/** The server itself asks workers as often. */
const lookMilliseconds = 5000;

export function Workers() {
  const { sessionId, isReadOnly } = useNotebook();
  const model = useModel((state) => state);
  const [body, setBody] = useState<WorkersBody | null>(null);
  const [changes, setChanges] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const mayNotForAll = useLacks('admin:notebook-workers');
  const isAdministrator = useIsShared() && !mayNotForAll;
  // Whoever starts or ends a cell there changes what is said of it.
  const placed = [...model.cells.values()].filter(({ remote }) => remote !== null).length;

  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again when the cells on workers have changed
  useEffect(() => {
    const stopping = new AbortController();
    const look = (): void => {
      readWorkers(sessionId, stopping.signal).then(
        (answer) => {
          setBody(answer);
          setProblem(null);
        },
        (error: unknown) => stopping.signal.aborted || setProblem(messageOf(error)),
      );
    };
    look();
    const timer = setInterval(look, lookMilliseconds);
    return () => {
      clearInterval(timer);
      stopping.abort();
    };
  }, [sessionId, placed, changes]);

  if (problem !== null) return <Message tone="error">{problem}</Message>;
  if (!body) return <Progress value={null} label="Asking the workers" />;
  const others = body.workers.filter(({ backend }) => backend !== 'local');
  const isForAll = !body.definitions_editable && isAdministrator;
  const own = others.filter(({ source }) => source === (isForAll ? 'server' : 'notebook'));
  const changed = (): void => setChanges((count) => count + 1);
  return (
    <Changeable needs="notebook:write">
      {others.length === 0 && (
        <p className="panel-note">
          Cells run on this machine.{' '}
          {body.definitions_editable
            ? 'Add a worker, then choose in the menu of a cell where it runs.'
            : isForAll
              ? 'Add a worker for all notebooks; whoever may run cells chooses in the menu of a cell where it runs.'
              : 'The operator of this server can add workers.'}
        </p>
      )}
      {(others.length > 0 || model.worker !== null) && <Standard workers={others} />}
      <ul className="workers">
        {others.map((worker) => (
          <WorkerRow
            key={worker.name}
            worker={worker}
            model={model}
            remove={
              own.includes(worker) && !isReadOnly ? (
                <Remove worker={worker} isForAll={isForAll} onRemoved={changed} />
              ) : null
            }
          />
        ))}
      </ul>
      {(body.definitions_editable || isForAll) && !isReadOnly && (
        <AddWorker own={own} isForAll={isForAll} onAdded={changed} />
      )}
    </Changeable>
  );
}

/** Where cells run that have no line of their own. */
function Standard({ workers }: { workers: readonly Worker[] }) {
  const { sessionId, store, undo } = useNotebook();
  const current = useModel((model) => model.worker);
  const names = [...new Set([...workers.map(({ name }) => name), ...(current === null ? [] : [current])])];
  const choose = (wanted: string | null): Promise<void> =>
    undo
      .inTurn(async () => {
        await chooseWorker(sessionId, wanted);
        undo.did(
          'choosing the worker of the notebook',
          () => chooseWorker(sessionId, current),
          () => chooseWorker(sessionId, wanted),
        );
      })
      .catch((error: unknown) => store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' }));
  return (
    <label className="labelled">
      <span>Cells run on</span>
      <select
        className="input"
        value={current ?? ''}
        onChange={(event) => void choose(event.target.value === '' ? null : event.target.value)}
      >
        <option value="">this machine</option>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

interface RemoveProps {
  readonly worker: Worker;
  /** One of the server, for all its notebooks. */
  readonly isForAll: boolean;
  readonly onRemoved: () => void;
}

function Remove({ worker, isForAll, onRemoved }: RemoveProps) {
  const { sessionId, store, undo } = useNotebook();
  async function take(): Promise<void> {
    const { name } = worker;
    const away = async (): Promise<void> =>
      void (await (isForAll ? removeForAll(name) : defineBeside(sessionId, name, null)));
    const back = async (): Promise<void> =>
      void (await (isForAll ? addForAll(worker) : defineBeside(sessionId, name, worker)));
    await away();
    // A token that stood in the definition is known to nobody any more.
    if (typeof worker.config.token !== 'string') undo.did(`removing ${name}`, back, away);
  }
  async function remove(): Promise<void> {
    try {
      if (!isForAll && worker.runtime_id?.startsWith('ssh:')) await disconnectSsh(sessionId, worker.name);
      else await undo.inTurn(take);
      onRemoved();
    } catch (error) {
      store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' });
    }
  }
  return <IconButton icon="close" label={`Remove ${worker.name}`} onClick={() => void remove()} />;
}

function WorkerRow({ worker, model, remove }: { worker: Worker; model: NotebookModel; remove: ReactNode }) {
  const { name, health, load, last_error } = worker;
  const share = load && load.capacity !== null && load.capacity > 0 ? load.running / load.capacity : null;
  const amount = load ? amountOf(load) : '';
  return (
    <li className="worker">
      <div className="worker-head">
        <strong>{name}</strong>
        <span className={`worker-health ${health}`}>{load?.is_cluster ? `cluster · ${health}` : health}</span>
        {remove}
      </div>
      {load && <p className="worker-load">{loadOf(load)}</p>}
      {share !== null && (
        <div className="worker-share" aria-hidden="true">
          <span style={{ width: `${Math.min(100, 100 * share)}%` }} />
        </div>
      )}
      {amount !== '' && <p className="panel-note">{amount}</p>}
      {last_error !== null && <Message tone="error">{last_error}</Message>}
      <CellsOn name={name} model={model} />
    </li>
  );
}

function CellsOn({ name, model }: { name: string; model: NotebookModel }) {
  const session = useNotebook();
  const cells = model.order.flatMap((id) => model.cells.get(id) ?? []).filter(({ remote }) => remote?.worker === name);
  if (cells.length === 0) return null;
  return (
    <>
      <ul className="rows">
        {cells.map((cell) => (
          <li key={cell.id}>
            <button
              type="button"
              className="row worker-cell"
              onClick={() => session.view.send({ kind: 'jump', cellId: cell.id, line: null })}
            >
              <span>{labelOf(model, cell.id)}</span>
              <small>{whereInWords(cell)}</small>
            </button>
          </li>
        ))}
      </ul>
      {!session.isReadOnly && <Button onClick={() => stopRunning(session)}>Stop</Button>}
    </>
  );
}
