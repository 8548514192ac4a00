// Where the steps of a lineage stand in its picture: what was made at the right, left of each step what it read.

export const boxWidth = 150;
export const boxHeight = 34;
const gapAcross = 50;
const gapDown = 14;
const laneBelow = 10;

export interface Line {
  readonly from: string;
  readonly to: string;
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

export interface LineagePicture {
  readonly spots: ReadonlyMap<string, Spot>;
  /** The lines, as SVG draws them. */
  readonly paths: readonly string[];
  readonly width: number;
  readonly height: number;
}

/** A step stands left of all its readers; where some would lead back to themselves, each step is still placed once. */
export function pictureOf(target: string, lines: readonly Line[]): LineagePicture {
  const distances = new Map([[target, 0]]);
  // No way without a circle is longer than there are lines.
  for (let round = 0; round <= lines.length; round += 1) {
    let isMoved = false;
    for (const { from, to } of lines) {
      const reader = distances.get(to);
      if (reader === undefined || from === to || reader + 1 <= (distances.get(from) ?? -1)) continue;
      if (reader >= lines.length) continue;
      distances.set(from, reader + 1);
      isMoved = true;
    }
    if (!isMoved) break;
  }
  const columns = Map.groupBy(distances.keys(), (id) => distances.get(id) ?? 0);
  const order = [...columns.keys()].sort((a, b) => b - a);
  const tallest = Math.max(...[...columns.values()].map(({ length }) => length));
  const height = tallest * (boxHeight + gapDown) - gapDown;
  const spots = new Map(
    order.flatMap((distance, place) => {
      const ids = columns.get(distance) ?? [];
      const top = (height - (ids.length * (boxHeight + gapDown) - gapDown)) / 2;
      return ids.map(
        (id, at) => [id, { x: place * (boxWidth + gapAcross), y: top + at * (boxHeight + gapDown) }] as const,
      );
    }),
  );
  const drawn = lines.filter(({ from, to }) => spots.has(from) && spots.has(to));
  const paths = drawn.map(({ from, to }) => pathBetween(spots.get(from), spots.get(to), height));
  return { spots, paths, width: order.length * (boxWidth + gapAcross) - gapAcross, height: height + 2 * laneBelow };
}

/** A line over more than one column would be hidden by what stands there: it goes below all of them. */
function pathBetween(from: Spot | undefined, to: Spot | undefined, height: number): string {
  if (!from || !to) return '';
  const [x1, y1, x2, y2] = [from.x + boxWidth, from.y + boxHeight / 2, to.x, to.y + boxHeight / 2];
  if (x2 - x1 <= gapAcross) return `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
  const [lane, turn] = [height + laneBelow, gapAcross / 2];
  const [down, up] = [
    `${x1 + turn} ${y1} ${x1} ${lane} ${x1 + turn} ${lane}`,
    `${x2} ${lane} ${x2 - turn} ${y2} ${x2} ${y2}`,
  ];
  return `M${x1} ${y1}C${down}H${x2 - turn}C${up}`;
}
