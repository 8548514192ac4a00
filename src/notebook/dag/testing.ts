// Short ways to write cells in the tests of this room.
import type { DagCell } from './types.ts';

const bare: Omit<DagCell, 'id'> = {
  defines: [],
  references: [],
  builtinReferences: [],
  discardedReads: [],
  late: [],
  mutationDefines: [],
  after: [],
  startFrom: null,
  variant: null,
  perVariant: null,
};

/** `'x y <- a b'` defines x and y and reads a and b. */
export function cell(id: string, names = '', more: Partial<DagCell> = {}): DagCell {
  const [defines = '', references = ''] = names.split('<-');
  const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
  return { ...bare, id, defines: words(defines), references: words(references), ...more };
}

export const member = (id: string, group: string, name: string, names: string, more: Partial<DagCell> = {}): DagCell =>
  cell(id, names, { variant: { group, name }, ...more });
