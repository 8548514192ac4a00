// The door of shapes: what a notebook looks like once its cells are read and wired.
export type { CellShape, Shape } from './shape.ts';
export { createShaper } from './shapeOf.ts';
export { touchedBetween } from './touched.ts';
