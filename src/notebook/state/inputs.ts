// The values that a cell's wired names stand for now, current or not. A name that a swept group gives stands for the values
// of all its variants together.
import { createHash } from 'node:crypto';
import type { SessionState, StoredValue, Wire } from './state.ts';

export interface InputValues {
  readonly values: ReadonlyMap<string, StoredValue>;
  /** False when a wired name has no value yet. */
  readonly complete: boolean;
}

export function inputValues(session: SessionState, cellId: string): InputValues {
  const values = new Map<string, StoredValue>();
  const swept = new Map<string, { group: string; variants: Record<string, StoredValue> }>();
  let complete = true;
  for (const wire of session.graph.wires.get(cellId) ?? []) {
    const { variable, variant } = wire;
    if (variable === '') continue;
    const value = broughtBy(session, wire);
    if (!value) complete = false;
    else if (variant) {
      const { group, variants } = swept.get(variable) ?? { group: variant.group, variants: {} };
      swept.set(variable, { group, variants: { ...variants, [variant.name]: value } });
    } else values.set(variable, value);
  }
  for (const [variable, { group, variants }] of swept) values.set(variable, sweepValue(group, variants));
  return { values, complete };
}

function broughtBy(session: SessionState, { from, variable, iteration }: Wire): StoredValue | undefined {
  const result = session.cells.get(from)?.result;
  return iteration === undefined ? result?.variables[variable] : result?.iterations?.[iteration];
}

/** The values of a group's variants as one. */
export function sweepValue(group: string, variants: Readonly<Record<string, StoredValue>>): StoredValue {
  const hash = createHash('sha256');
  for (const [name, { sha256 }] of Object.entries(variants).sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${name}=${sha256}\0`);
  }
  return { uri: '', contentType: 'sweep/dict', sha256: hash.digest('hex'), sweep: { group, variants } };
}
