// Controls instead of code. What they say is the value of the cell's variables.
import { useEffect, useRef, useState } from 'react';
import { lackOf } from '../../../src/model/notAllowed.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { useLacks } from '../scopes.ts';
import type { CellModel, Widget } from '../state/index.ts';
import './widget.css';

export function WidgetCell({ cell }: { cell: CellModel }) {
  const lacksRight = useLacks('notebook:execute');
  if (!cell.widget) return null;
  const { descriptors, values } = cell.widget;
  return (
    <div className="widgets">
      {lacksRight && <p className="quiet">{lackOf('notebook:execute')}</p>}
      {descriptors.map((control) => (
        <Control key={control.name} cellId={cell.id} control={control} given={values} />
      ))}
    </div>
  );
}

type Descriptor = Widget['descriptors'][number];

/**
 * What a control says: what was chosen on it until its cell gives that, or what somebody else chose; then what the cell gave.
 * Other controls of the cell, and values that were passed on the way, leave it alone.
 */
function useChoice(cellId: string, name: string, given: Widget['values']) {
  const { link } = useNotebook();
  const [sent, setSent] = useState<readonly unknown[]>([]);
  const value = given[name];
  const before = useRef(value);
  useEffect(() => {
    const isOthers = before.current !== given[name];
    before.current = given[name];
    setSent((sent) => {
      const place = sent.indexOf(given[name]);
      return place >= 0 ? sent.slice(place + 1) : isOthers ? [] : sent;
    });
  }, [given, name]);
  // Nothing comes of what was refused, or was on its way when the connection broke.
  const connection = useModel((model) => model.connection);
  const refusals = useModel(({ notices }) => notices.findLast(({ tone }) => tone === 'error')?.id ?? 0);
  const last = useRef({ connection, refusals });
  useEffect(() => {
    const isOver = connection !== last.current.connection || refusals > last.current.refusals;
    last.current = { connection, refusals };
    if (isOver) setSent([]);
  }, [connection, refusals]);
  return {
    value: sent.length > 0 ? sent.at(-1) : value,
    choose(next: unknown): void {
      if (link.send('widget_update', { cell_id: cellId, values: { [name]: next } })) setSent((sent) => [...sent, next]);
    },
  };
}

/** `given`: what the cell gave last. */
function Control(props: { cellId: string; control: Descriptor; given: Widget['values'] }) {
  const { cellId, control, given } = props;
  const { value = control.default, choose } = useChoice(cellId, control.name, given);
  // What is chosen where nobody hears of it would be lost.
  const isHeard = useModel(({ connection }) => connection === 'live');
  const lacksRight = useLacks('notebook:execute');
  /** What stands in a field while somebody types in it. */
  const [typed, type] = useState<string | null>(null);
  const { name, kind, params } = control;
  const number = (key: string): number | undefined => (typeof params[key] === 'number' ? params[key] : undefined);
  const isWithin = (chosen: number): boolean =>
    chosen >= (number('min') ?? Number.NEGATIVE_INFINITY) && chosen <= (number('max') ?? Number.POSITIVE_INFINITY);
  function take(): void {
    if (typed !== null && typed !== value) choose(typed);
    type(null);
  }
  return (
    <label className="widget">
      <span>{name}</span>
      {kind === 'dropdown' ? (
        <select
          className="input"
          disabled={!isHeard || lacksRight}
          value={String(value)}
          onChange={(event) => choose(event.target.value)}
        >
          {(Array.isArray(params.options) ? params.options : []).map((option) => (
            <option key={String(option)}>{String(option)}</option>
          ))}
        </select>
      ) : kind === 'checkbox' ? (
        <input
          type="checkbox"
          disabled={!isHeard || lacksRight}
          checked={value === true}
          onChange={(event) => choose(event.target.checked)}
        />
      ) : kind === 'text' ? (
        <input
          className="input"
          disabled={!isHeard || lacksRight}
          value={typed ?? String(value ?? '')}
          onChange={(event) => type(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && take()}
          onBlur={take}
        />
      ) : kind === 'slider' ? (
        <input
          className="slider"
          type="range"
          disabled={!isHeard || lacksRight}
          min={number('min')}
          max={number('max')}
          step={number('step') ?? 'any'}
          value={Number(value)}
          onChange={(event) => choose(event.target.valueAsNumber)}
        />
      ) : (
        <input
          className="input"
          type="number"
          disabled={!isHeard || lacksRight}
          min={number('min')}
          max={number('max')}
          step={number('step') ?? 'any'}
          value={typed ?? String(value ?? '')}
          onChange={({ target }) => {
            type(target.value);
            if (isWithin(target.valueAsNumber)) choose(target.valueAsNumber);
          }}
          onBlur={() => type(null)}
        />
      )}
      <output>{kind === 'slider' ? String(value) : ''}</output>
    </label>
  );
}
