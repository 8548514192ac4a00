// Find and replace in the text of all cells.
import { useMemo, useState } from 'react';
import { labelOf, textOf } from '../state/index.ts';
import { Button, Dialog, Field } from '../ui/index.ts';
import { useModel, useNotebook } from './context.ts';
import { find, patternOf, placeOf, replaced, replacedOne, type Spot, spotAt } from './finding.ts';
import { replaceTexts } from './texts.ts';

const shownHits = 200;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const placesInWords = (places: number, cells: number): string =>
  `${counted(places, 'place')} in ${counted(cells, 'cell')}`;

export function FindDialog({ onClose }: { onClose: () => void }) {
  const session = useNotebook();
  const model = useModel((state) => state);
  const [what, setWhat] = useState('');
  const [by, setBy] = useState('');
  const [isExact, setExact] = useState(false);
  const [isPattern, setPattern] = useState(false);
  const [spot, setSpot] = useState<Spot | null>(null);
  const made = useMemo(() => patternOf({ what, isExact, isPattern }), [what, isExact, isPattern]);
  const pattern = made instanceof RegExp ? made : null;
  const hits = useMemo(
    () =>
      what === '' || pattern === null
        ? []
        : model.order.flatMap((id) => find(textOf(model, id), pattern).map((hit) => ({ id, ...hit }))),
    [model, what, pattern],
  );
  const place = useMemo(() => placeOf(hits, spot, model.order), [hits, spot, model.order]);
  const current = hits[place];
  const go = (step: number) => setSpot(spotAt(hits, (place + hits.length + step) % hits.length));
  const cellsHit = new Set(hits.map(({ id }) => id)).size;
  const label = `replacing “${what}” with “${by}”`;
  const replaceAll = () => {
    if (!pattern) return;
    const now = session.store.get();
    const ids = [...new Set(hits.map((hit) => hit.id))];
    void replaceTexts(session, new Map(ids.map((id) => [id, replaced(textOf(now, id), pattern, by, isPattern)])), {
      label,
      done: `${placesInWords(hits.length, ids.length)} replaced.`,
    });
  };
  /** What stands there then is not looked at again: the next place is the one behind it. */
  const replaceOne = () => {
    if (!pattern || !current) return;
    const { id } = current;
    const { text, added } = replacedOne(textOf(session.store.get(), id), pattern, by, isPattern, current);
    setSpot({ id, nth: (spotAt(hits, place)?.nth ?? 0) + added });
    void replaceTexts(session, new Map([[id, text]]), { label, done: '1 place replaced.' });
  };
  return (
    <Dialog title="Find in all cells" onClose={onClose} wide>
      <div className="find">
        <Field label="Find">
          {(id) => (
            <input
              id={id}
              className="input mono"
              value={what}
              onChange={(event) => {
                setWhat(event.target.value);
                setSpot(null);
              }}
            />
          )}
        </Field>
        <Field label="Replace with">
          {(id) => <input id={id} className="input mono" value={by} onChange={(event) => setBy(event.target.value)} />}
        </Field>
      </div>
      <div className="find-line">
        <label>
          <input type="checkbox" checked={isExact} onChange={(event) => setExact(event.target.checked)} /> Match case
        </label>
        <label>
          <input type="checkbox" checked={isPattern} onChange={(event) => setPattern(event.target.checked)} /> Regular
          expression
        </label>
        <span role="status">
          {what === '' ? '' : made instanceof RegExp ? placesInWords(hits.length, cellsHit) : made.problem}
        </span>
      </div>
      <div className="find-line">
        <Button look="quiet" disabled={hits.length === 0} onClick={() => go(-1)}>
          Previous
        </Button>
        <Button look="quiet" disabled={hits.length === 0} onClick={() => go(1)}>
          Next
        </Button>
        <Button disabled={!current || session.isReadOnly} onClick={replaceOne}>
          Replace this one
        </Button>
        <Button disabled={hits.length === 0 || session.isReadOnly} onClick={replaceAll}>
          Replace all
        </Button>
      </div>
      <ul className="find-hits">
        {hits.slice(0, shownHits).map((hit) => (
          <li key={`${hit.id}:${hit.at}`}>
            <button
              type="button"
              aria-current={hit === current ? 'true' : undefined}
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
