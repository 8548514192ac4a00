// How cells depend on each other: layers of boxes, each below what it reads, then the names that pass to and from the
// selected cell.
import { kindOf } from '../cellLanguages.ts';
import type { CellModel, NotebookModel } from '../model/index.ts';
import { lookOf, shortName } from './cellRow.ts';
import { fit, type Line, line, noLine, type Span, widthOf } from './lines.ts';

const widestBox = 24;

export function graphLines(model: NotebookModel, selected: string | null, width: number): readonly Line[] {
  if (model.graphError !== null) return [line(model.graphError, { colour: 'red' })];
  const lines = layersOf(model).flatMap((cells, index) => [
    ...(index === 0 ? [] : [line('  ↓', { dim: true })]),
    ...boxRows(cells, selected, width),
  ]);
  return [...lines, noLine, ...wiresOf(model, selected)];
}

/** Cells by the length of the longest way to them. */
function layersOf({ order, cells }: NotebookModel): CellModel[][] {
  const depths = new Map<string, number>();
  const depthOf = (id: string): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    depths.set(id, 0);
    const above = (cells.get(id)?.upstream ?? []).map((upper) => depthOf(upper) + 1);
    const depth = Math.max(0, ...above);
    depths.set(id, depth);
    return depth;
  };
  const layers: CellModel[][] = [];
  for (const id of order) {
    const cell = cells.get(id);
    if (!cell || kindOf(cell.language) === 'text') continue;
    const depth = depthOf(id);
    for (let index = layers.length; index <= depth; index += 1) layers.push([]);
    layers[depth]?.push(cell);
  }
  return layers;
}

/** Boxes side by side, as many as fit, then the next row of them. */
function boxRows(cells: readonly CellModel[], selected: string | null, width: number): Line[] {
  const lines: Line[] = [];
  let row: Span[][] = [[], [], []];
  let used = 0;
  for (const cell of cells) {
    const box = boxOf(cell, cell.id === selected);
    if (used > 0 && used + box.width + 1 > width) {
      lines.push(...row);
      [row, used] = [[[], [], []], 0];
    }
    for (const [index, part] of box.parts.entries()) row[index]?.push(...part, { text: ' ' });
    used += box.width + 1;
  }
  return [...lines, ...row];
}

function boxOf(cell: CellModel, isSelected: boolean): { readonly width: number; readonly parts: readonly Span[][] } {
  const name = shortName(cell);
  const inner = Math.min(widestBox, widthOf(name) + 4);
  const [topLeft, flat, topRight, side, bottomLeft, bottomRight] = isSelected ? '╔═╗║╚╝' : '┌─┐│└┘';
  const { glyph, colour } = lookOf(cell);
  const style = { bold: isSelected };
  return {
    width: inner + 2,
    parts: [
      [{ text: `${topLeft}${flat?.repeat(inner)}${topRight}`, ...style }],
      [
        { text: `${side} `, ...style },
        { text: glyph, colour },
        { text: ` ${fit(name, inner - 3)}${side}`, ...style },
      ],
      [{ text: `${bottomLeft}${flat?.repeat(inner)}${bottomRight}`, ...style }],
    ],
  };
}

function wiresOf({ edges, cells }: NotebookModel, selected: string | null): Line[] {
  const nameOf = (id: string): string => {
    const cell = cells.get(id);
    return cell ? shortName(cell) : id;
  };
  const own = edges.filter(({ from_cell_id, to_cell_id }) => from_cell_id === selected || to_cell_id === selected);
  return own.map(({ from_cell_id, to_cell_id, variable }) =>
    line(`${nameOf(from_cell_id)} → ${nameOf(to_cell_id)}  (${variable})`),
  );
}

/** The notebook in one line. */
export function summaryOf({ cells, edges }: NotebookModel): string {
  const count = (status: CellModel['status']): number =>
    [...cells.values()].filter((cell) => cell.status === status && kindOf(cell.language) !== 'text').length;
  const parts = (['ready', 'running', 'stale', 'idle', 'error'] as const).flatMap((status) =>
    count(status) === 0 ? [] : [`${count(status)} ${status}`],
  );
  return [`${cells.size} cells`, ...parts, `${edges.length} edges`].join(' · ');
}
