// The files that cells of an imported notebook name, with what is known of each.
import type { ForeignNotebook } from '../../engine/index.ts';

export interface NamedFile {
  /** From the notebook's file. */
  readonly path: string;
  /** Null for one that is not there. */
  readonly size: number | null;
  readonly is_large: boolean;
  readonly standing: 'brought' | 'beside' | 'missing';
  /** The places of the cells that name it. */
  readonly cells: readonly number[];
}

/** One above this is brought only when asked for. */
const largeBytes = 50 * 1024 * 1024;

export function namedFiles(
  named: ForeignNotebook['files'],
  beside: readonly { readonly path: string; readonly size: number }[],
): NamedFile[] {
  const sizes = new Map(beside.map(({ path, size }) => [path, size]));
  return named.map(({ path, cells }) => {
    const size = sizes.get(path) ?? null;
    return { path, size, is_large: (size ?? 0) > largeBytes, standing: size === null ? 'missing' : 'beside', cells };
  });
}

export function sizeInWords(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1024)));
  return `${Number((bytes / 1024 ** step).toPrecision(3))} ${units[step]}`;
}
