// The variants of a group side by side: how each stands, what it took, what it gave and shows.
import type { ReactNode } from 'react';
import { useModel, useNotebook } from '../notebook/context.ts';
import { Displays } from '../outputs/Displays.tsx';
import { StoredValueView } from '../outputs/StoredValue.tsx';
import { type CellModel, duration, isImported } from '../state/index.ts';
import { Dot, focusBack, IconButton } from '../ui/index.ts';
import './tools.css';

export function VariantsTool({ cellId }: { cellId: string }) {
  const { view, sessionId } = useNotebook();
  const cells = useModel((model) => model.cells);
  const group = cells.get(cellId)?.variantGroup ?? null;
  const variants = [...cells.values()].filter((cell) => group !== null && cell.variantGroup === group);
  const names = [
    ...new Set(variants.flatMap(({ defines, source }) => defines.filter((name) => !isImported(source, name)))),
  ];
  const facts: readonly Fact[] = [
    { title: 'took', show: ({ durationMs }) => (durationMs === null ? '' : duration(durationMs)) },
    ...names.map((name) => ({ title: name, show: (cell: CellModel) => <Given cell={cell} name={name} /> })),
    ...(variants.some(({ displays }) => displays.length > 0)
      ? [{ title: 'shows', show: (cell: CellModel) => <Displays cell={cell} sessionId={sessionId} /> }]
      : []),
  ];
  return (
    <section ref={focusBack} className="tool" aria-label="Variants side by side">
      <header>
        <span>Variants of {group}</span>
        <IconButton icon="close" label="Close" onClick={() => view.send({ kind: 'tool', cellId, tool: null })} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="tool-table" tabIndex={0} aria-label="What the variants gave">
        {variants.length > mostBeside ? (
          <Below variants={variants} facts={facts} />
        ) : (
          <Beside variants={variants} facts={facts} />
        )}
      </section>
    </section>
  );
}

/** More variants than these do not fit beside each other: a sweep of many is read from top to bottom. */
const mostBeside = 4;

interface Fact {
  readonly title: string;
  readonly show: (cell: CellModel) => ReactNode;
}

interface FactsProps {
  readonly variants: readonly CellModel[];
  readonly facts: readonly Fact[];
}

const Variant = ({ cell, scope }: { cell: CellModel; scope: 'col' | 'row' }) => (
  <th scope={scope}>
    <Dot status={cell.status} /> {cell.variantName}
  </th>
);

const Beside = ({ variants, facts }: FactsProps) => (
  <table>
    <thead>
      <tr>
        <td />
        {variants.map((cell) => (
          <Variant key={cell.id} cell={cell} scope="col" />
        ))}
      </tr>
    </thead>
    <tbody>
      {facts.map(({ title, show }) => (
        <tr key={title}>
          <th scope="row">{title}</th>
          {variants.map((cell) => (
            <td key={cell.id}>{show(cell)}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

const Below = ({ variants, facts }: FactsProps) => (
  <table>
    <thead>
      <tr>
        <td />
        {facts.map(({ title }) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {variants.map((cell) => (
        <tr key={cell.id}>
          <Variant cell={cell} scope="row" />
          {facts.map(({ title, show }) => (
            <td key={title}>{show(cell)}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

function Given({ cell, name }: { cell: CellModel; name: string }) {
  const { sessionId } = useNotebook();
  const uri = cell.artifactUris[name];
  if (uri !== undefined) return <StoredValueView sessionId={sessionId} cellId={cell.id} uri={uri} />;
  const why =
    cell.status === 'error' ? 'failed' : cell.durationMs === null ? 'has not run' : 'not kept: no cell reads it';
  return <span className="quiet">{cell.defines.includes(name) ? why : '–'}</span>;
}
