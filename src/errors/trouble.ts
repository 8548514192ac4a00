// What the machine cannot do right now is not a fault of the program: whoever asked is told so in words, by whatever noticed it.
import { refusals } from './catalogue.ts';
import type { Refusal } from './refusal.ts';

const byCode = new Map<unknown, () => Refusal>([
  ['ENOSPC', refusals.storageFull],
  ['EDQUOT', refusals.storageFull], // quotas
  ['53100', refusals.storageFull], // PostgreSQL
  ['EROFS', refusals.storageReadOnly],
  ['EMFILE', refusals.tooManyOpenFiles],
  ['ENFILE', refusals.tooManyOpenFiles],
  ['engine_crashed', refusals.engineCrashed],
  ['engine_unavailable', refusals.engineUnavailable],
]);

const bySqlite = new Map<unknown, () => Refusal>([
  [13, refusals.storageFull],
  [4874, refusals.storageFull], // the index of a log could not be made as large as it has to be
  [8, refusals.storageReadOnly],
]);

/** The refusal for an error that tells of such a trouble; any other error as it is. */
export function orTrouble(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? byCode.get(cause.code) : undefined;
    const found = code ?? ('errcode' in cause ? bySqlite.get(cause.errcode) : undefined);
    if (found) return found();
  }
  return error;
}
