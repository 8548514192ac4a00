// Where cells may run: each worker with what it has, what it does and who waits there, and the cells of this notebook on it.
import { useEffect, useState } from 'react';
import { messageOf, readWorkers, type Worker } from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { stopRunning } from '../notebook/running.ts';
import { labelOf, type NotebookModel, whereInWords } from '../state/index.ts';
import { Button, Message, Progress } from '../ui/index.ts';
import { amountOf, loadOf } from './workerWords.ts';
import './workers.css';

/** The server itself asks workers as often. */
const lookMilliseconds = 5000;

export function Workers() {
  const { sessionId } = useNotebook();
  const model = useModel((state) => state);
  const [workers, setWorkers] = useState<readonly Worker[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  // Whoever starts or ends a cell there changes what is said of it.
  const placed = [...model.cells.values()].filter(({ remote }) => remote !== null).length;

  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again when the cells on workers have changed
  useEffect(() => {
    const stopping = new AbortController();
    const look = (): void => {
      readWorkers(sessionId, stopping.signal).then(
        (body) => {
          setWorkers(body.workers);
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
  }, [sessionId, placed]);

  if (problem !== null) return <Message tone="error">{problem}</Message>;
  if (!workers) return <Progress value={null} label="Asking the workers" />;
  const others = workers.filter(({ backend }) => backend !== 'local');
  return (
    <>
      {others.length === 0 && (
        <p className="panel-note">
          Cells run on this machine. Define a worker or a cluster for them in notebook.toml, and give cells a line{' '}
          <code># @worker name</code>.
        </p>
      )}
      <ul className="workers">
        {others.map((worker) => (
          <WorkerRow key={worker.name} worker={worker} model={model} />
        ))}
      </ul>
    </>
  );
}

function WorkerRow({ worker, model }: { worker: Worker; model: NotebookModel }) {
  const { name, health, load, last_error } = worker;
  const share = load && load.capacity !== null && load.capacity > 0 ? load.running / load.capacity : null;
  const amount = load ? amountOf(load) : '';
  return (
    <li className="worker">
      <div className="worker-head">
        <strong>{name}</strong>
        <span className={`worker-health ${health}`}>{load?.is_cluster ? `cluster · ${health}` : health}</span>
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
