// Controls instead of code. What they say is the value of the cell's variables.
import { useEffect, useState } from 'react';
import { useNotebook } from '../notebook/context.ts';
import type { CellModel, Widget } from '../state/index.ts';
import './widget.css';

export function WidgetCell({ cell }: { cell: CellModel }) {
  if (!cell.widget) return null;
  const { descriptors, values } = cell.widget;
  return (
    <div className="widgets">
      {descriptors.map((control) => (
        <Control key={control.name} cellId={cell.id} control={control} given={values} />
      ))}
    </div>
  );
}

type Descriptor = Widget['descriptors'][number];

/** `given`: what the cell gave last. Until it gives something else, a control says what was chosen on it. */
function Control(props: { cellId: string; control: Descriptor; given: Widget['values'] }) {
  const { cellId, control, given } = props;
  const { link } = useNotebook();
  const [chosen, choose] = useState<{ readonly value: unknown } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen is over when the cell has given anything.
  useEffect(() => choose(null), [given]);
  const value = chosen ? chosen.value : (given[control.name] ?? control.default);
  function set(next: unknown): void {
    choose({ value: next });
    link.send('widget_update', { cell_id: cellId, values: { [control.name]: next } });
  }
  const { name, kind, params } = control;
  const number = (key: string): number | undefined => (typeof params[key] === 'number' ? params[key] : undefined);
  return (
    <label className="widget">
      <span>{name}</span>
      {kind === 'dropdown' ? (
        <select className="input" value={String(value)} onChange={(event) => set(event.target.value)}>
          {(Array.isArray(params.options) ? params.options : []).map((option) => (
            <option key={String(option)}>{String(option)}</option>
          ))}
        </select>
      ) : kind === 'checkbox' ? (
        <input type="checkbox" checked={value === true} onChange={(event) => set(event.target.checked)} />
      ) : kind === 'text' ? (
        <input
          className="input"
          value={String(value ?? '')}
          onChange={(event) => choose({ value: event.target.value })}
          onBlur={(event) => chosen && set(event.target.value)}
        />
      ) : (
        <input
          className={kind === 'slider' ? 'slider' : 'input'}
          type={kind === 'slider' ? 'range' : 'number'}
          min={number('min')}
          max={number('max')}
          step={number('step') ?? 'any'}
          value={Number.isNaN(value) ? '' : Number(value)}
          onChange={(event) => set(event.target.valueAsNumber)}
        />
      )}
      <output>{kind === 'checkbox' ? '' : String(value)}</output>
    </label>
  );
}
