// Results that have read files or used settings: which of them belong to what these are now.
import { below } from './plan.ts';
import { changedSettings } from './settings.ts';
import type { CellResult, SessionState } from './state.ts';

/** What a result is found by: the key of its source, environment and inputs. */
export const baseKeyOf = ({ baseKey, key }: CellResult): string => baseKey ?? key;

/** The newest result under this key whose files and settings are what they were. */
export function resultUnder(session: SessionState, cellId: string, key: string): CellResult | undefined {
  const kept = session.results.get(cellId)?.values() ?? [];
  let newest: CellResult | undefined;
  for (const result of kept) if (baseKeyOf(result) === key && stillHolds(session, cellId, result)) newest = result;
  return newest;
}

export const stillHolds = (session: SessionState, cellId: string, result: CellResult): boolean =>
  (result.files === undefined || changedFiles(session, cellId, result).length === 0) &&
  changedSettings(session, cellId, result).length === 0;

/**
 * Files that a result has read and that hold something else now. What a cell below made of one does not count: it needed the result
 * to do so, and would need it again for ever.
 */
export function changedFiles(session: SessionState, cellId: string, { files = {} }: CellResult): string[] {
  const changed = Object.entries(files).filter(([file, { print }]) => session.files.get(file) !== print);
  if (changed.length === 0) return [];
  const made = below(session, cellId).map((id) => session.cells.get(id)?.result?.wrote ?? {});
  const isMadeBelow = (file: string): boolean =>
    made.some((wrote) => wrote[file] !== undefined && wrote[file].print === session.files.get(file));
  return changed.map(([file]) => file).filter((file) => !isMadeBelow(file));
}

/** Every file that some result of these cells has read. */
export const filesReadBy = ({ results }: SessionState, cellIds: Iterable<string>): Set<string> =>
  new Set(
    [...cellIds].flatMap((id) =>
      [...(results.get(id)?.values() ?? [])].flatMap(({ files = {} }) => Object.keys(files)),
    ),
  );
