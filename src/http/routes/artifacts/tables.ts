// The rules about tables behind a result, asked of this server's store.

import type { ArtifactVersion } from '../../../artifacts/index.ts';
import { checkTables as check, mayReadTables as reader } from '../../../desk/index.ts';
import type { Caller } from '../../../identity/index.ts';
import type { Services } from '../../services.ts';
import { storeOf } from './gates.ts';

/** Says whether the caller may read the tables that a version names itself. */
export const mayReadTables = ({ settings }: Services, caller: Caller): ((version: ArtifactVersion) => boolean) =>
  reader(settings, caller);

/** Refuses a version that was made, at any step, from a table that the caller may not read. */
export const checkTables = (services: Services, caller: Caller, version: ArtifactVersion): Promise<void> =>
  check(services.settings, caller, storeOf(services).versions, version);
