// Where one cell runs: on this machine, on a worker, or where the notebook says.
import { useEffect, useState } from 'react';
import { messageOf, readWorkers, type WorkersBody } from '../api/index.ts';
import { labelOf, textOf } from '../state/index.ts';
import { Button, Dialog, Message, Progress } from '../ui/index.ts';
import { useModel, useNotebook } from './context.ts';
import { replaceTexts } from './texts.ts';
import { withWorker, workerIn } from './workerLine.ts';
import './workerDialog.css';

export function WorkerDialog({ onClose }: { onClose: () => void }) {
  const session = useNotebook();
  const standard = useModel((model) => model.worker);
  const [cellId] = useState(session.view.get().selected ?? '');
  const [body, setBody] = useState<WorkersBody | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [chosen, setChosen] = useState(workerIn(textOf(session.store.get(), cellId)));
  useEffect(() => {
    const leaving = new AbortController();
    readWorkers(session.sessionId, leaving.signal).then(
      setBody,
      (error: unknown) => leaving.signal.aborted || setProblem(messageOf(error)),
    );
    return () => leaving.abort();
  }, [session]);

  const choices: readonly (readonly [worker: string | null, words: string, health: string])[] = [
    [null, `As the notebook says: ${standard ?? 'this machine'}`, ''],
    ...(body?.workers ?? []).map(
      ({ name, backend, health }) =>
        [name, backend === 'local' ? 'This machine' : name, backend === 'local' ? '' : health] as const,
    ),
  ];
  function choose(): void {
    const text = textOf(session.store.get(), cellId);
    const next = withWorker(text, chosen);
    const done = `${labelOf(session.store.get(), cellId)} runs on ${chosen ?? standard ?? 'this machine'} now.`;
    if (next !== text) void replaceTexts(session, new Map([[cellId, next]]), { label: 'choosing a worker', done });
    onClose();
  }
  return (
    <Dialog title={`Where ${labelOf(session.store.get(), cellId)} runs`} onClose={onClose}>
      <form
        className="report"
        onSubmit={(event) => {
          event.preventDefault();
          choose();
        }}
      >
        {problem !== null && <Message tone="error">{problem}</Message>}
        {body === null && problem === null && <Progress value={null} label="Asking the workers" />}
        <ul className="rows">
          {choices.map(([worker, words, health]) => (
            <li key={words}>
              <label className="worker-choice">
                <input type="radio" name="worker" checked={chosen === worker} onChange={() => setChosen(worker)} />
                <span>{words}</span>
                {health !== '' && <small>{health}</small>}
              </label>
            </li>
          ))}
        </ul>
        {body?.workers.every(({ backend }) => backend === 'local') && (
          <p className="quiet">This notebook has no other workers. Add one in the panel Workers.</p>
        )}
        <footer>
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={session.isReadOnly}>
            Choose
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
