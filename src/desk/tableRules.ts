// Tables behind a result: whoever may not read a table may not read what was made from it either, however many steps lie
// between.
import {
  type ArtifactVersion,
  ancestryOf,
  maxAncestry,
  recordedInputs,
  transformOf,
  type VersionSource,
} from '../artifacts/index.ts';
import { refusals } from '../errors/index.ts';
import { type Caller, mayReadRecorded } from '../identity/index.ts';
import type { Settings } from '../settings/index.ts';

/** Whether rules decide anything at all for this caller. */
const isRuled = ({ aclConfig }: Settings, caller: Caller): boolean =>
  caller.authenticated && (aclConfig.default === 'deny' || aclConfig.deny.length > 0);

/** Inputs that are neither artifacts nor downloads. */
function tablesOf({ transformSpec, inputVersions }: ArtifactVersion): string[] {
  const recorded = recordedInputs(inputVersions);
  const downloads = new Set(recorded.filter(({ version }) => version.startsWith('sha256:')).map(({ uri }) => uri));
  const uris = new Set([...transformOf(transformSpec).inputs, ...recorded.map(({ uri }) => uri)]);
  return [...uris].filter((uri) => !uri.startsWith('svc://') && !downloads.has(uri));
}

/** Says whether the caller may read the tables that a version names itself. */
export function mayReadTables(settings: Settings, caller: Caller): (version: ArtifactVersion) => boolean {
  if (!isRuled(settings, caller)) return () => true;
  return (version) => tablesOf(version).every((uri) => mayReadRecorded(settings, caller, uri));
}

/** Refuses a version that was made, at any step, from a table that the caller may not read. */
export async function checkTables(
  settings: Settings,
  caller: Caller,
  source: VersionSource,
  version: ArtifactVersion,
): Promise<void> {
  if (!isRuled(settings, caller)) return;
  const ancestry = await ancestryOf(source, version);
  if (!ancestry) throw refusals.lineageTooDeep(maxAncestry);
  if (!ancestry.every(mayReadTables(settings, caller))) throw refusals.tableNotFound(settings.hideForbiddenAsNotFound);
}
