// A disk without room is not a fault of the program: whoever wanted to write is told so, by whatever noticed it.
import { refusals } from './catalogue.ts';

const codes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100']); // files, quotas, PostgreSQL
/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE for the index of a log that could not be made as large as it has to be. */
const sqliteFull: ReadonlySet<unknown> = new Set([13, 4874]);

/** The refusal for an error that says that there is no room; any other error as it is. */
export const orStorageFull = (error: unknown): unknown => (isOutOfRoom(error) ? refusals.storageFull() : error);

function isOutOfRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && codes.has(error.code)) return true;
  return ('errcode' in error && sqliteFull.has(error.errcode)) || isOutOfRoom(error.cause);
}
