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

interface Size {
  readonly width: number;
  readonly height: number;
}

export function useGraphView(layout: LaidOut | null, centre: string | null) {
  const [flow, setFlow] = useState<ReactFlowInstance | null>(null);
  const place = useRef<HTMLDivElement>(null);
  /** Told by the browser, and not asked for: an answer would lay out the page in between. */
  const size = useRef<Size | null>(null);
  /** What is drawn. */
  const [area, setArea] = useState<Area | null>(null);
  const lookAt = useCallback((viewport: Viewport) => {
    if (!size.current) return;
    const sight = areaOf(viewport, size.current.width, size.current.height);
    setArea((before) => drawnArea(before, sight));
  }, []);
  /** All of it, as far as it can be shown at this size. */
  const fit = useCallback(
    (least: number) => {
      if (!flow || !size.current || !layout || layout.spots.size === 0) return;
      const { width, height } = size.current;
      const viewport = getViewportForBounds(boundsOf(layout.spots), width, height, least, 1, padding);
      void flow.setViewport(viewport);
      lookAt(viewport);
    },
    [flow, layout, lookAt],
  );
  const follow = useRef(() => {});
  follow.current = () => {
    const spot = centre === null ? undefined : layout?.spots.get(centre);
    if (!flow || !spot || !size.current || isSeen(flow, size.current, spot)) return;
    const zoom = Math.max(flow.getZoom(), legible);
    void flow.setCenter(spot.x + nodeWidth / 2, spot.y + nodeHeight / 2, { zoom });
  };
  useEffect(() => {
    if (!flow || !place.current) return;
    const watcher = new ResizeObserver(([entry]) => {
      size.current = entry?.contentRect ?? null;
      fit(legible);
      follow.current();
    });
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [flow, fit]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another cell is followed
  useEffect(() => follow.current(), [centre]);
  const showAll = useCallback(() => fit(smallest), [fit]);
  return { place, area, lookAt, setFlow, showAll };
}

function isSeen(flow: ReactFlowInstance, field: Size, { x, y }: Spot): boolean {
  const { x: left, y: top, zoom } = flow.getViewport();
  const [atX, atY] = [x * zoom + left, y * zoom + top];
  const fits = (at: number, size: number, room: number): boolean => at >= 0 && at + size * zoom <= room;
  return fits(atX, nodeWidth, field.width) && fits(atY, nodeHeight, field.height);
}
