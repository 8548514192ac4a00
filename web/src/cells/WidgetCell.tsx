// Controls instead of code. What they say is the value of the cell's variables.
import { useNotebook } from '../notebook/context.ts';
import type { CellModel, Widget } from '../state/index.ts';
import './widget.css';

export function WidgetCell({ cell }: { cell: CellModel }) {
  if (!cell.widget) return null;
  const { descriptors, values } = cell.widget;
  return (
    <div className="widgets">
      {descriptors.map((control) => (
        <Control
          key={control.name}
          cellId={cell.id}
          control={control}
          value={values[control.name] ?? control.default}
        />
      ))}
    </div>
  );
}

type Descriptor = Widget['descriptors'][number];

function Control({ cellId, control, value }: { cellId: string; control: Descriptor; value: unknown }) {
  const { link } = useNotebook();
  const set = (next: unknown) => link.send('widget_update', { cell_id: cellId, values: { [control.name]: next } });
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
        <input className="input" defaultValue={String(value ?? '')} onBlur={(event) => set(event.target.value)} />
      ) : (
        <input
          className={kind === 'slider' ? 'slider' : 'input'}
          type={kind === 'slider' ? 'range' : 'number'}
          min={number('min')}
          max={number('max')}
          step={number('step') ?? 'any'}
          defaultValue={Number(value)}
          onChange={(event) => set(event.target.valueAsNumber)}
        />
      )}
      <output>{kind === 'checkbox' ? '' : String(value)}</output>
    </label>
  );
}
