// What agents do in the notebook, as they do it: who, where, why; and a way to stop them.
import { useState } from 'react';
import { letAgentsGoOn, stopAgents } from '../api/agents.ts';
import { messageOf } from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { labelOf, type NotebookModel } from '../state/index.ts';
import { Button } from '../ui/index.ts';
import './agents.css';

type Act = NotebookModel['agents']['acts'][number];

export function AgentBar() {
  const { sessionId, store, isReadOnly } = useNotebook();
  const { acts, recent, stopped_by } = useModel((model) => model.agents);
  const [isHidden, setHidden] = useState(false);
  const isQuiet = acts.length === 0 && stopped_by === null;
  if (isQuiet && (recent.length === 0 || isHidden)) return null;
  const tell = (work: Promise<unknown>) =>
    work.catch((error: unknown) => store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' }));
  return (
    <section className="agents" aria-label="Agents">
      <div className="agents-now">
        {stopped_by !== null && (
          <p>Agents are stopped in this notebook{stopped_by === 'local' ? '' : ` by ${stopped_by}`}.</p>
        )}
        {stopped_by === null && acts.length === 0 && <p>No agent is at work.</p>}
        {acts.map((act) => (
          <p key={act.id}>
            <ActWords act={act} />
          </p>
        ))}
      </div>
      {!isReadOnly && stopped_by === null && !isQuiet && (
        <Button look="danger" onClick={() => void tell(stopAgents(sessionId))}>
          Stop agents
        </Button>
      )}
      {!isReadOnly && stopped_by !== null && (
        <Button onClick={() => void tell(letAgentsGoOn(sessionId))}>Let them go on</Button>
      )}
      {isQuiet && (
        <Button look="quiet" onClick={() => setHidden(true)}>
          Hide
        </Button>
      )}
      {recent.length > 0 && (
        <details>
          <summary>What they did</summary>
          <ol>
            {recent.map((act) => (
              <li key={act.id}>
                <ActWords act={act} />
                {act.outcome !== 'done' && <b> {act.outcome}</b>}
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

function ActWords({ act: { who, title, cell_id: cellId, why } }: { act: Act }) {
  const { view } = useNotebook();
  const label = useModel((model) => (cellId !== null && model.cells.has(cellId) ? labelOf(model, cellId) : null));
  return (
    <>
      {who}: {title}
      {label !== null && cellId !== null && (
        <>
          {' in '}
          <button type="button" className="text-button" onClick={() => view.send({ kind: 'jump', cellId, line: null })}>
            {label}
          </button>
        </>
      )}
      {why !== null && <span className="quiet"> – {why}</span>}
    </>
  );
}
