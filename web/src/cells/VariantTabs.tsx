// Cells of one variant group stand in one place; tabs choose which of them counts.
import { useModel, useNotebook } from '../notebook/context.ts';
import { turnSweep } from '../notebook/switching.ts';
import { IconButton } from '../ui/index.ts';
import './variants.css';

/** In a sweep every variant counts: each cell shows which one it is, and the tabs lead to the others. */
export function VariantTabs({ group, cellId }: { group: string; cellId: string }) {
  const session = useNotebook();
  const { link, view, isReadOnly } = session;
  const found = useModel((model) => model.variantGroups.find((one) => one.group === group));
  if (!found) return null;
  const isSweep = found.mode === 'sweep';
  return (
    <div className="variants">
      <span className="variants-name">{group}</span>
      <div role="tablist" aria-label={`Variants of ${group}`}>
        {found.members.map(({ cell_id, name, is_active }) => (
          <button
            key={cell_id}
            type="button"
            role="tab"
            aria-selected={isSweep ? cell_id === cellId : is_active}
            disabled={isReadOnly}
            onClick={() => {
              if (!isSweep) link.send('variant_set_active', { group, name });
              view.send({ kind: 'select', cellId: cell_id });
            }}
          >
            {name}
          </button>
        ))}
      </div>
      {!isReadOnly && (
        <IconButton
          icon="plus"
          label={`Add a variant of ${group}`}
          size={14}
          onClick={() => link.send('variant_add', { group })}
        />
      )}
      <label className="variants-name" title="All variants run side by side, instead of the chosen one alone">
        <input
          type="checkbox"
          checked={isSweep}
          disabled={isReadOnly}
          onChange={() => void turnSweep(session, group, !isSweep)}
        />
        run all
      </label>
    </div>
  );
}
