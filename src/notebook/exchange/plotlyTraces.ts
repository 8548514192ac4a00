// The traces of a Plotly figure: their arrays, also those that Plotly packs, and what they are as tables.

export type Members = Readonly<Record<string, unknown>>;

export const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

export const tracesIn = (figure: object): readonly Members[] =>
  'data' in figure && Array.isArray(figure.data) ? figure.data.map(members) : [];

/** Undefined for what is no list. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const { dtype, bdata, shape } = members(value);
  const read = typeof dtype === 'string' ? readers[dtype] : undefined;
  if (!read || typeof bdata !== 'string') return undefined;
  const bytes = Buffer.from(bdata, 'base64');
  const [size, one] = read;
  const flat = Array.from({ length: Math.floor(bytes.length / size) }, (_, at) => one(bytes, at * size));
  const width = typeof shape === 'string' && shape.includes(',') ? Number(shape.split(',')[1]) : 0;
  if (!(width > 0)) return flat;
  return Array.from({ length: flat.length / width }, (_, row) => flat.slice(row * width, (row + 1) * width));
}

type Reader = readonly [size: number, read: (bytes: Buffer, at: number) => number];

const readers: Readonly<Record<string, Reader>> = {
  f8: [8, (bytes, at) => bytes.readDoubleLE(at)],
  f4: [4, (bytes, at) => bytes.readFloatLE(at)],
  i4: [4, (bytes, at) => bytes.readInt32LE(at)],
  u4: [4, (bytes, at) => bytes.readUInt32LE(at)],
  i2: [2, (bytes, at) => bytes.readInt16LE(at)],
  u2: [2, (bytes, at) => bytes.readUInt16LE(at)],
  i1: [1, (bytes, at) => bytes.readInt8(at)],
  u1: [1, (bytes, at) => bytes.readUInt8(at)],
};

export interface TraceTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly total: number;
}

const shownRows = 20;
const shownColumns = 12;

/** What may be read of a trace, in the order in which people read it. */
const axes = 'labels parents locations names x y z r theta a b c lat lon open high low close values value size text'
  .split(' ')
  .concat('base', 'ids');

/** One for each trace that has data; what is drawn from numbers alone (a map's outline, an image) has none. */
export const traceTables = (figure: object): TraceTable[] =>
  tracesIn(figure).flatMap((trace, at) => {
    const kind = typeof trace.type === 'string' ? trace.type : 'scatter';
    const name = typeof trace.name === 'string' && trace.name !== '' ? trace.name : `Trace ${at + 1}`;
    const table = gridOf(trace) ?? columnsOf(trace);
    return table ? [{ title: `${name} (${kind})`, ...table }] : [];
  });

function columnsOf(trace: Members): Omit<TraceTable, 'title'> | null {
  const found = axes.flatMap((name) => {
    const values = listOf(trace[name]);
    return values && values.length > 0 && !Array.isArray(values[0]) ? [{ name, values }] : [];
  });
  const total = Math.max(0, ...found.map(({ values }) => values.length));
  if (total === 0) return null;
  const rows = Array.from({ length: Math.min(total, shownRows) }, (_, row) => found.map(({ values }) => values[row]));
  return { columns: found.map(({ name }) => name), rows, total };
}

/** A matrix is read with what stands beside it. */
function gridOf(trace: Members): Omit<TraceTable, 'title'> | null {
  const lines = (listOf(trace.z) ?? []).map(listOf);
  const width = lines[0]?.length ?? 0;
  if (width === 0) return null;
  const [across, down] = [listOf(trace.x), listOf(trace.y)];
  const names = Array.from({ length: Math.min(width, shownColumns) }, (_, at) => String(across?.[at] ?? at));
  const more = width > shownColumns ? [`… ${width} columns in all`] : [];
  const rows = lines
    .slice(0, shownRows)
    .map((values, at) => [down?.[at] ?? at, ...(values ?? []).slice(0, shownColumns), ...more.map(() => '')]);
  return { columns: ['', ...names, ...more], rows, total: lines.length };
}
