// Cells of the graph and the lines between them: those around what is in sight, a little with each picture of the page.
import { ViewportPortal } from '@xyflow/react';
import { memo, useMemo } from 'react';
import { useNotebook } from '../notebook/context.ts';
import { labelOf, type NotebookModel } from '../state/index.ts';
import { useInSlices } from '../ui/index.ts';
import type { Pair, Spot } from './graphLayout.ts';
import { drawnLines, GraphCell, GraphLines, LineName } from './graphPieces.tsx';
import { type Area, drawnIn, isIn, lineKey } from './graphSight.ts';

/** Cells and names of lines with one picture. */
const atOnce = 25;

interface GraphDrawingProps {
  readonly spots: ReadonlyMap<string, Spot>;
  readonly isSideways: boolean;
  readonly pairs: readonly Pair[];
  readonly edges: NotebookModel['edges'];
  /** What is drawn. */
  readonly area: Area;
  readonly cells: NotebookModel['cells'];
  readonly states: ReadonlyMap<string, string>;
  readonly selected: string | null;
  readonly inSight: ReadonlySet<string>;
  readonly planned: ReadonlySet<string>;
  /** Null where nothing is looked for. */
  readonly found: ReadonlySet<string> | null;
}

export const GraphDrawing = memo(function GraphDrawing(props: GraphDrawingProps) {
  const { spots, isSideways, pairs, edges, area, cells, states, selected, inSight, planned, found } = props;
  const { store } = useNotebook();
  const drawn = useMemo(() => drawnIn(spots, pairs, area), [spots, pairs, area]);
  const lines = useMemo(() => drawnLines(drawn.lines, spots, isSideways), [drawn, spots, isSideways]);
  const named = useMemo(() => lines.filter((line) => isIn(area, line)), [lines, area]);
  const wanted = useMemo(() => [...drawn.ids, ...named.map(({ key }) => key)], [drawn, named]);
  const here = useInSlices(wanted, atOnce);
  const names = useMemo(() => namesOf(edges), [edges]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: labels are read off the cells
  const labels = useMemo(() => {
    const model = store.get();
    return new Map(drawn.ids.map((id) => [id, labelOf(model, id)]));
  }, [drawn, cells]);
  const lookOf = (id: string): string =>
    [
      states.get(id),
      id === selected && 'now',
      inSight.has(id) && 'in-sight',
      planned.has(id) && 'planned',
      found && (found.has(id) ? 'found' : 'aside'),
    ]
      .filter(Boolean)
      .join(' ');
  return (
    <ViewportPortal>
      <svg className="graph-lines" aria-hidden="true">
        <GraphLines lines={lines} />
        {named.map(({ key, x, y }) => here.has(key) && <LineName key={key} name={names.get(key) ?? ''} x={x} y={y} />)}
      </svg>
      {drawn.ids.map((id) => {
        const spot = spots.get(id);
        return (
          spot &&
          here.has(id) && (
            <GraphCell
              key={id}
              cellId={id}
              label={labels.get(id) ?? id}
              standing={states.get(id) ?? 'idle'}
              look={lookOf(id)}
              spot={spot}
            />
          )
        );
      })}
    </ViewportPortal>
  );
});

/** The variables that go from one cell to another, by both. */
function namesOf(edges: NotebookModel['edges']): ReadonlyMap<string, string> {
  const named = new Map<string, string[]>();
  for (const { from_cell_id, to_cell_id, variable } of edges) {
    const key = lineKey([from_cell_id, to_cell_id]);
    const names = named.get(key) ?? [];
    if (variable && names.length < 3) names.push(variable);
    named.set(key, names);
  }
  return new Map([...named].map(([key, names]) => [key, names.join(', ')]));
}
