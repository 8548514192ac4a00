// Text that could not be saved: somebody else holds the cell, or wrote something else meanwhile.
import { useModel, useNotebook } from '../notebook/context.ts';
import { Button, focusBack } from '../ui/index.ts';
import { keptBoth } from './keptBoth.ts';
import './conflict.css';

export function Conflict({ cellId }: { cellId: string }) {
  const { store, link } = useNotebook();
  const draft = useModel((model) => model.drafts.get(cellId));
  const writer = useModel((model) => model.cells.get(cellId)?.updatedBy ?? null);
  if (!draft || (draft.refused === null && draft.theirs === null)) return null;
  const keepMine = () => {
    store.send({ kind: 'keptMine', cellId });
    link.flush(cellId, true);
  };
  if (draft.theirs === null) {
    if (draft.refused?.isBusy)
      return (
        <div className="conflict" role="status">
          <p>This cell is running. Your text is kept here and saved when the run is over.</p>
        </div>
      );
    const holder = draft.refused?.heldBy ?? null;
    const reason = holder === null ? draft.refused?.message : `${holder} changed this cell moments ago.`;
    return (
      <div ref={focusBack} className="conflict" role="alert">
        <p>{reason} Your text is kept here.</p>
        <Button onClick={keepMine}>{holder === null ? 'Try again' : 'Take over'}</Button>
      </div>
    );
  }
  const { base, theirs, text } = draft;
  const keepBoth = () => {
    store.send({ kind: 'typed', cellId, text: keptBoth(base, theirs, text) });
    keepMine();
  };
  const isNamed = writer !== null && writer !== 'local';
  return (
    <div ref={focusBack} className="conflict" role="alert">
      <p>{isNamed ? `${writer} changed this cell` : 'This cell was changed elsewhere'} while you were typing.</p>
      <div className="conflict-sides">
        <figure>
          <figcaption>Yours</figcaption>
          <pre className="conflict-text">{text}</pre>
          <Button onClick={keepMine}>Keep yours</Button> <Button onClick={keepBoth}>Keep both</Button>
        </figure>
        <figure>
          <figcaption>Theirs</figcaption>
          <pre className="conflict-text">{theirs}</pre>
          <Button onClick={() => store.send({ kind: 'tookTheirs', cellId })}>Take theirs</Button>
        </figure>
      </div>
    </div>
  );
}
