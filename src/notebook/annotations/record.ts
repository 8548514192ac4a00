// The part of the annotations that goes over the wire with each cell, keys in their documented order.
import { type Mount, maskedEnv } from '../document/index.ts';
import type { Annotations } from './types.ts';

export interface AnnotationRecord {
  readonly name: string | null;
  readonly worker: string | null;
  readonly timeout: number | null;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly tables: readonly { name: string; uri: string; snapshot_pin: number | object | null }[];
  readonly loop: {
    readonly max_iter: number;
    readonly carry: string;
    readonly until_expr: string | null;
    readonly start_from_cell: string | null;
    readonly start_from_iter: number | null;
  } | null;
  readonly variant: { readonly group: string; readonly name: string } | null;
}

export function annotationRecord(annotations: Annotations): AnnotationRecord {
  const { name, worker, timeout, env, mounts, tables, loop, variant } = annotations;
  return {
    name,
    worker,
    timeout,
    env: maskedEnv(env),
    mounts,
    tables: tables.map(({ snapshotPin, ...table }) => ({
      ...table,
      snapshot_pin: snapshotPin === null ? null : exactInteger(snapshotPin),
    })),
    loop: loop === null ? null : loopRecord(loop),
    variant,
  };
}

export function loopRecord(loop: NonNullable<Annotations['loop']>): NonNullable<AnnotationRecord['loop']> {
  return {
    max_iter: loop.maxIter,
    carry: loop.carry,
    until_expr: loop.untilExpr,
    start_from_cell: loop.startFromCell,
    start_from_iter: loop.startFromIter,
  };
}

/** Snapshot ids have 64 bits: one that no JavaScript number holds is printed as it was written. */
function exactInteger(value: bigint): number | object {
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : JSON.rawJSON(String(value));
}
