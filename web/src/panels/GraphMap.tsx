// The whole graph, small, with what is in sight: a click or a drag goes there. One shape for all cells of a state, so that many
// cells cost little.
import { Panel, useReactFlow, useStore, useViewport } from '@xyflow/react';
import { memo, type PointerEvent, useMemo } from 'react';
import { nodeHeight, nodeWidth, type Spot } from './graphLayout.ts';
import { areaOf, boundsOf } from './graphSight.ts';

export const GraphMap = memo(function GraphMap(props: {
  readonly spots: ReadonlyMap<string, Spot>;
  readonly states: ReadonlyMap<string, string>;
  readonly selected: string | null;
}) {
  const { spots, states, selected } = props;
  const flow = useReactFlow();
  const viewport = useViewport();
  const [width, height] = [useStore((field) => field.width), useStore((field) => field.height)];
  const bounds = useMemo(() => boundsOf(spots), [spots]);
  const shapes = useMemo(() => shapesOf(spots, states), [spots, states]);
  const here = selected === null ? undefined : spots.get(selected);
  const sight = areaOf(viewport, width, height);
  const goTo = (event: PointerEvent<SVGSVGElement>): void => {
    const matrix = event.currentTarget.getScreenCTM()?.inverse();
    if (event.buttons !== 1 || !matrix) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    void flow.setCenter(x, y, { zoom: flow.getZoom() });
  };
  return (
    <Panel position="bottom-right" className="graph-map">
      <svg
        role="img"
        aria-label="The whole graph, small"
        preserveAspectRatio="none"
        viewBox={`${bounds.x} ${bounds.y} ${bounds.width} ${bounds.height}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          goTo(event);
        }}
        onPointerMove={goTo}
      >
        {[...shapes].map(([state, shape]) => (
          <path key={state} className={state} d={shape} />
        ))}
        {here && <path className="now" d={box(here)} />}
        <rect className="graph-map-sight" {...sight} />
      </svg>
    </Panel>
  );
});

const box = ({ x, y }: Spot): string => `M${x} ${y}h${nodeWidth}v${nodeHeight}h${-nodeWidth}z`;

function shapesOf(spots: ReadonlyMap<string, Spot>, states: ReadonlyMap<string, string>): Map<string, string> {
  const shapes = new Map<string, string>();
  for (const [id, spot] of spots) {
    const state = states.get(id) ?? 'idle';
    shapes.set(state, (shapes.get(state) ?? '') + box(spot));
  }
  return shapes;
}
