// What of a large graph is drawn: the cells around what is in sight, and the lines that cross it.
import { nodeHeight, nodeWidth, type Pair, type Spot } from './graphLayout.ts';

/** In the graph's own measure, before it is scaled. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

type Spots = ReadonlyMap<string, Spot>;

export const areaOf = ({ x, y, zoom }: Viewport, width: number, height: number): Area => ({
  x: -x / zoom,
  y: -y / zoom,
  width: width / zoom,
  height: height / zoom,
});

/** The area that is drawn for what is in sight: the one before as long as it holds that, so that a small move draws nothing anew. */
export function drawnArea(before: Area | null, sight: Area): Area {
  const isHeld =
    before !== null &&
    before.x <= sight.x &&
    before.y <= sight.y &&
    before.x + before.width >= sight.x + sight.width &&
    before.y + before.height >= sight.y + sight.height &&
    before.width <= 3 * sight.width;
  if (isHeld) return before;
  const { x, y, width, height } = sight;
  return { x: x - width / 2, y: y - height / 2, width: width * 2, height: height * 2 };
}

export function boundsOf(spots: Spots): Area {
  const [xs, ys] = [[...spots.values()].map(({ x }) => x), [...spots.values()].map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) + nodeWidth - x, height: Math.max(...ys) + nodeHeight - y };
}

/** A line's own name among all that is drawn. */
export const lineKey = ([from, to]: Pair): string => `${from} ${to}`;

export const isIn = (area: Area, { x, y }: Spot): boolean =>
  x >= area.x && x <= area.x + area.width && y >= area.y && y <= area.y + area.height;

/** All cells that stand in the area, and the pairs whose line may come through it. */
export function drawnIn(spots: Spots, pairs: readonly Pair[], area: Area) {
  const meets = (left: number, top: number, right: number, bottom: number): boolean =>
    right >= area.x && left <= area.x + area.width && bottom >= area.y && top <= area.y + area.height;
  const ids: string[] = [];
  for (const [id, { x, y }] of spots) if (meets(x, y, x + nodeWidth, y + nodeHeight)) ids.push(id);
  const lines = pairs.filter(([from, to]) => {
    const [a, b] = [spots.get(from), spots.get(to)];
    if (!a || !b) return false;
    const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x) + nodeWidth];
    const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y) + nodeHeight];
    return meets(left, top, right, bottom);
  });
  return { ids, lines };
}
