// Comments do not change what a cell computes, except these: annotations that shape its outputs enter its source hash.
import { hash } from 'node:crypto';
import { loopRecord } from './record.ts';
import type { Annotations } from './types.ts';

/** Compact JSON with sorted keys; null when no such annotation is there. */
export function annotationFingerprint({ loop, writeTables, outputDirs, perVariant }: Annotations): string | null {
  const parts = {
    ...(loop === null ? {} : { loop: loopRecord(loop) }),
    ...(outputDirs.length === 0 ? {} : { output_dir: outputDirs }),
    ...(perVariant === null ? {} : { per_variant: perVariant.group }),
    ...(writeTables.length === 0 ? {} : { write_table: writeTables }),
  };
  return Object.keys(parts).length === 0 ? null : JSON.stringify(parts, sortKeys);
}

/** `digest` is that of the source without its comments. */
export function sourceHash(digest: string, annotations: Annotations): string {
  const fingerprint = annotationFingerprint(annotations);
  return fingerprint === null ? digest : hash('sha256', `${digest}\0${fingerprint}`);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
