// Whether an edit would overwrite what somebody else wrote to the notebook file and nobody here has read yet. What the two
// leave alone of each other is merged: the edit is made to their text.
import { type Refusal, refusals } from '../../errors/index.ts';

type Table = Readonly<Record<string, unknown>>;

/** Keys whose values no answer has to hide. */
const isOpen = (key: string): boolean =>
  /^(name|timeout|worker|variant_group|cells\.[^.]+\.(order|worker|timeout|language|file))$/.test(key);

/** `read`: as it was read last; `theirs`: as it lies there; `ours`: theirs with the edit made to it. */
export function touchedTwice(read: Table, theirs: Table, ours: Table): Refusal | null {
  const found = firstOf(byCell(read), byCell(theirs), byCell(ours), []);
  if (found === undefined) return null;
  const key = found.at.join('.');
  return refusals.notebookChanged(key, isOpen(key) ? { theirs: found.theirs ?? null, ours: found.ours ?? null } : {});
}

interface Found {
  readonly at: readonly string[];
  readonly theirs: unknown;
  readonly ours: unknown;
}

function firstOf(read: unknown, theirs: unknown, ours: unknown, at: readonly string[]): Found | undefined {
  if (isSame(theirs, ours) || isSame(read, theirs)) return undefined;
  if (!isTable(theirs) || !isTable(ours)) return { at, theirs, ours };
  const before = isTable(read) ? read : {};
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    const found = firstOf(before[key], theirs[key], ours[key], [...at, key]);
    if (found) return found;
  }
  return undefined;
}

/** Cells are told apart by their ids, wherever they stand. */
function byCell(file: Table): Table {
  const cells = Array.isArray(file.cells) ? file.cells.filter(isTable) : [];
  return { ...file, cells: Object.fromEntries(cells.map((cell) => [String(cell.id), cell])) };
}

/** Dates and times are objects too, but values of one piece. */
const isTable = (value: unknown): value is Table => Object.prototype.toString.call(value) === '[object Object]';

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, place) => isSame(value, other[place]));
  if (isTable(one) && isTable(other)) {
    const keys = Object.keys(one);
    return keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]));
  }
  const arePieces = typeof one === 'object' && typeof other === 'object' && one !== null && other !== null;
  return arePieces ? String(one) === String(other) : one === other;
}
