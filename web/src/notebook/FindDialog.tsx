// Find and replace in the text of all cells.
import { useMemo, useState } from 'react';
import { labelOf, textOf } from '../state/index.ts';
import { Button, Dialog, Field } from '../ui/index.ts';
import { useModel, useNotebook } from './context.ts';
import { find, replaceAll } from './finding.ts';
import { replaceTexts } from './structure.ts';

const shownHits = 200;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const placesOf = (places: number, cells: number): string => `${counted(places, 'place')} in ${counted(cells, 'cell')}`;

export function FindDialog({ onClose }: { onClose: () => void }) {
  const session = useNotebook();
  const model = useModel((state) => state);
  const [what, setWhat] = useState('');
  const [by, setBy] = useState('');
  const [isExact, setExact] = useState(false);
  const hits = useMemo(
    () =>
      what === ''
        ? []
        : model.order.flatMap((id) => find(textOf(model, id), what, isExact).map((hit) => ({ id, ...hit }))),
    [model, what, isExact],
  );
  const cellsHit = new Set(hits.map(({ id }) => id)).size;
  const replace = () => {
    const now = session.store.get();
    const ids = [...new Set(hits.map((hit) => hit.id))];
    void replaceTexts(session, new Map(ids.map((id) => [id, replaceAll(textOf(now, id), what, by, isExact)])), {
      label: `replacing “${what}” by “${by}”`,
      done: `${placesOf(hits.length, ids.length)} replaced.`,
    });
  };
  return (
    <Dialog title="Find in all cells" onClose={onClose} wide>
      <div className="find">
        <Field label="Find">
          {(id) => (
            <input id={id} className="input mono" value={what} onChange={(event) => setWhat(event.target.value)} />
          )}
        </Field>
        <Field label="Replace by">
          {(id) => <input id={id} className="input mono" value={by} onChange={(event) => setBy(event.target.value)} />}
        </Field>
      </div>
      <div className="find-line">
        <label>
          <input type="checkbox" checked={isExact} onChange={(event) => setExact(event.target.checked)} /> Match case
        </label>
        <span role="status">{what === '' ? '' : placesOf(hits.length, cellsHit)}</span>
        <Button disabled={hits.length === 0 || session.isReadOnly} onClick={replace}>
          Replace all
        </Button>
      </div>
      <ul className="find-hits">
        {hits.slice(0, shownHits).map((hit) => (
          <li key={`${hit.id}:${hit.at}`}>
            <button
              type="button"
              onClick={() => {
                onClose();
                setTimeout(() => session.view.send({ kind: 'jump', cellId: hit.id, line: hit.line }));
              }}
            >
              <span>
                {labelOf(model, hit.id)}:{hit.line}
              </span>
              <code>{hit.text}</code>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
