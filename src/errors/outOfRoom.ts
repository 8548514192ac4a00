// A disk without room is not a fault of the program: whoever wanted to write is told so, by whatever noticed it.
import { refusals } from './catalogue.ts';

const codes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100']); // files, quotas, PostgreSQL
const sqliteFull = 13;

/** The refusal for an error that says that there is no room; any other error as it is. */
export const orStorageFull = (error: unknown): unknown => (isOutOfRoom(error) ? refusals.storageFull() : error);

function isOutOfRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && codes.has(error.code)) || ('errcode' in error && error.errcode === sqliteFull);
}
