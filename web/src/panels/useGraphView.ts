// Where the graph is looked at: fitted when it comes or the panel has another size, and moved to the cell that is followed.
import { getViewportForBounds, type ReactFlowInstance } from '@xyflow/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { nodeHeight, nodeWidth, type Spot } from './graphLayout.ts';
import { type Area, areaOf, boundsOf, drawnArea, type Viewport } from './graphSight.ts';
import type { LaidOut } from './useGraphLayout.ts';

/** Names can be read; what does not fit then is a drag away. */
const legible = 0.85;
export const smallest = 0.1;
const padding = 0.05;

export function useGraphView(layout: LaidOut | null, centre: string | null) {
  const [flow, setFlow] = useState<ReactFlowInstance | null>(null);
  const place = useRef<HTMLDivElement>(null);
  /** What is drawn. */
  const [area, setArea] = useState<Area | null>(null);
  const lookAt = useCallback((viewport: Viewport) => {
    if (!place.current) return;
    const sight = areaOf(viewport, place.current.clientWidth, place.current.clientHeight);
    setArea((before) => drawnArea(before, sight));
  }, []);
  /** All of it, as far as it can be shown at this size. */
  const fit = useCallback(
    (least: number) => {
      if (!flow || !place.current || !layout || layout.spots.size === 0) return;
      const { clientWidth, clientHeight } = place.current;
      const viewport = getViewportForBounds(boundsOf(layout.spots), clientWidth, clientHeight, least, 1, padding);
      void flow.setViewport(viewport);
      lookAt(viewport);
    },
    [flow, layout, lookAt],
  );
  const follow = useRef(() => {});
  follow.current = () => {
    const spot = centre === null ? undefined : layout?.spots.get(centre);
    if (!flow || !spot || !place.current || isSeen(flow, place.current, spot)) return;
    const zoom = Math.max(flow.getZoom(), legible);
    void flow.setCenter(spot.x + nodeWidth / 2, spot.y + nodeHeight / 2, { zoom });
  };
  useEffect(() => {
    if (!flow || !place.current) return;
    const watcher = new ResizeObserver(() => {
      fit(legible);
      follow.current();
    });
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [flow, fit]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another cell is followed
  useEffect(() => follow.current(), [centre]);
  return { place, area, lookAt, setFlow, showAll: () => fit(smallest) };
}

function isSeen(flow: ReactFlowInstance, field: HTMLElement, { x, y }: Spot): boolean {
  const { x: left, y: top, zoom } = flow.getViewport();
  const [atX, atY] = [x * zoom + left, y * zoom + top];
  const fits = (at: number, size: number, room: number): boolean => at >= 0 && at + size * zoom <= room;
  return fits(atX, nodeWidth, field.clientWidth) && fits(atY, nodeHeight, field.clientHeight);
}
