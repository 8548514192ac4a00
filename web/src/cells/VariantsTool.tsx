// The variants of a group side by side: how each stands, what it took, what it gave and shows.
import type { ReactNode } from 'react';
import { useModel, useNotebook } from '../notebook/context.ts';
import { Displays } from '../outputs/Displays.tsx';
import { StoredValueView } from '../outputs/StoredValue.tsx';
import { type CellModel, duration } from '../state/index.ts';
import { Dot, focusBack, IconButton } from '../ui/index.ts';
import './tools.css';

export function VariantsTool({ cellId }: { cellId: string }) {
  const { view, sessionId } = useNotebook();
  const cells = useModel((model) => model.cells);
  const group = cells.get(cellId)?.variantGroup ?? null;
  const variants = [...cells.values()].filter((cell) => group !== null && cell.variantGroup === group);
  const names = [...new Set(variants.flatMap(({ defines }) => defines))];
  const row = (title: string, show: (cell: CellModel) => ReactNode) => (
    <tr key={title}>
      <th scope="row">{title}</th>
      {variants.map((cell) => (
        <td key={cell.id}>{show(cell)}</td>
      ))}
    </tr>
  );
  return (
    <section ref={focusBack} className="tool" aria-label="Variants side by side">
      <header>
        <span>Variants of {group}</span>
        <IconButton icon="close" label="Close" onClick={() => view.send({ kind: 'tool', cellId, tool: null })} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="tool-table" tabIndex={0} aria-label="What the variants gave">
        <table>
          <thead>
            <tr>
              <td />
              {variants.map((cell) => (
                <th key={cell.id} scope="col">
                  <Dot status={cell.status} /> {cell.variantName}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {row('took', ({ durationMs }) => (durationMs === null ? '' : duration(durationMs)))}
            {names.map((name) => row(name, (cell) => <Given cell={cell} name={name} />))}
            {variants.some(({ displays }) => displays.length > 0) &&
              row('shows', (cell) => <Displays cell={cell} sessionId={sessionId} />)}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function Given({ cell, name }: { cell: CellModel; name: string }) {
  const { sessionId } = useNotebook();
  const uri = cell.artifactUris[name];
  if (uri !== undefined) return <StoredValueView sessionId={sessionId} cellId={cell.id} uri={uri} />;
  const why = cell.status === 'idle' ? 'has not run' : 'not kept: no cell reads it';
  return <span className="quiet">{cell.defines.includes(name) ? why : '–'}</span>;
}
