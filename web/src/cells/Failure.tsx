// An error that helps: its class first, where it happened with a way there, and the package that was missing.

import { useRef, useState } from 'react';
import { can } from '../../../src/cellLanguages.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { useObjection } from '../notebook/rights.ts';
import { runCell } from '../notebook/running.ts';
import { type CellModel, labelOf, type Problem, useStore } from '../state/index.ts';
import { Button, copyText } from '../ui/index.ts';
import { Install } from './Install.tsx';
import { Remedy } from './Remedy.tsx';
import './failure.css';

export function Failure({ cell, problem }: { cell: CellModel; problem: Problem }) {
  const [isWhole, setWhole] = useState(false);
  const mayRun = useObjection('notebook:execute') === null;
  const mayChange = useObjection('notebook:write') === null;
  const places = problem.frames.filter(({ cell_id }) => cell_id !== null);
  return (
    <section className="failure" aria-label="Error">
      <p className="failure-head">
        <b>{problem.type}</b>
        {problem.message !== '' && <>: {problem.message}</>}
      </p>
      {places.length > 0 && (
        <ol className="failure-places">
          {places.map(({ cell_id, line, text, function: name }) => (
            <li key={`${cell_id}:${line}:${name}`}>
              <PlaceLink cellId={cell_id ?? ''} line={line} />
              {name !== '<module>' && <span className="quiet"> in {name}</span>}
              {text !== '' && <code>{text}</code>}
            </li>
          ))}
        </ol>
      )}
      <div className="failure-actions">
        {problem.install !== null && mayRun && <Install wanted={problem.install} problem={problem} cellId={cell.id} />}
        <Fix cellId={cell.id} />
        {mayChange && <Remedy problem={problem} />}
        {can(cell.language, 'be inspected') && places.length > 0 && mayRun && <Inspect cellId={cell.id} />}
        {saysMore(problem) && (
          <Button look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Hide the traceback' : 'Traceback'}
          </Button>
        )}
        <Button look="quiet" onClick={() => void copyText(problem.text)}>
          Copy
        </Button>
      </div>
      {isWhole && <pre className="failure-text">{problem.text}</pre>}
    </section>
  );
}

/** Where a model can be asked; nothing changes before it is accepted. */
function Fix({ cellId }: { cellId: string }) {
  const { assistant, view, isReadOnly } = useNotebook();
  const model = useStore(assistant, (offer) => offer.model);
  if (model === null || isReadOnly) return null;
  const open = () => {
    view.send({ kind: 'select', cellId });
    view.send({ kind: 'overlay', overlay: 'assist', subject: 'fix' });
  };
  return (
    <Button title={`Ask ${model} what to change`} onClick={open}>
      Fix this
    </Button>
  );
}

/** Its process may still be there; otherwise the cell runs once more for it. */
function Inspect({ cellId }: { cellId: string }) {
  const session = useNotebook();
  /** What was known when it was asked for. */
  const askedAt = useRef<readonly [unknown, unknown]>([null, null]);
  const look = () => {
    session.view.send({ kind: 'tool', cellId, tool: 'failure' });
    const { cells, notices } = session.store.get();
    const cell = cells.get(cellId);
    if (!cell || cell.question !== null) return;
    // Pressed again before anything came of it, neither a run nor a refusal.
    if (askedAt.current[0] === cell && askedAt.current[1] === notices) return;
    askedAt.current = [cell, notices];
    runCell(session, cellId, 'cell_execute_inspect');
  };
  return (
    <Button look="quiet" title="Frames, variables and a prompt where it failed" onClick={look}>
      Inspect this failure
    </Button>
  );
}

const saysMore = ({ type, message, text }: Problem): boolean =>
  !['', message, `${type}: ${message}`].includes(text.trim());

function PlaceLink({ cellId, line }: { cellId: string; line: number | null }) {
  const { view } = useNotebook();
  const label = useModel((model) => labelOf(model, cellId));
  return (
    <button type="button" className="text-button" onClick={() => view.send({ kind: 'jump', cellId, line: line ?? 1 })}>
      {label}
      {line !== null && `, line ${line}`}
    </button>
  );
}
