// How the registry is put into words.
import type { AuditEntry } from '../api/registry.ts';

const shortLength = 8;

/** Versions of a name are often the first ones of different artifacts: the number alone would not tell them apart. */
export function shortVersion(uri: string): string {
  const [, id, version] = /^svc:\/\/artifact\/(.+)@v=(\d+)$/.exec(uri) ?? [];
  return id === undefined ? uri : versionOf(id, Number(version));
}

export const versionOf = (artifactId: string, version: number): string =>
  `${artifactId.slice(0, shortLength)} v${version}`;

/** What somebody did, after their name. */
export function deedOf(entry: AuditEntry): string {
  const { action, name, alias, artifact_id, to_version, key, value } = entry;
  const which = artifact_id !== null && to_version !== null ? versionOf(artifact_id, to_version) : 'a version';
  const what = alias === null ? name : `${alias} of ${name}`;
  const deeds: Readonly<Record<string, string>> = {
    name_set: `set ${name} to ${which}`,
    name_delete: `removed the name ${name}`,
    alias_set: `set ${what} to ${which}`,
    alias_delete: `removed ${what}`,
    alias_request_set: `asked to set ${what} to ${which}`,
    alias_request_delete: `asked to remove ${what}`,
    alias_approved: `approved ${what}${to_version === null ? '' : `: ${which}`}`,
    alias_withdrawn: `no longer asks to change ${what}`,
    alias_rejected: `refused ${what}${to_version === null ? '' : `: ${which}`}`,
  };
  const rest = [name, alias, key, value, to_version === null ? null : which].filter((word) => word !== null);
  return deeds[action] ?? [action.replaceAll('_', ' '), ...rest].join(' ');
}

/** A version that a name has pointed at. */
export interface PastVersion {
  readonly artifact_id: string;
  readonly version: number;
  readonly uri: string;
  /** When the name began to point at it last, and who set it. */
  readonly at: number;
  readonly by: string | null;
}

/** Newest first, each once. */
export function versionsIn(entries: readonly AuditEntry[]): readonly PastVersion[] {
  const found = new Map<string, PastVersion>();
  for (const { action, artifact_id, to_version, at, actor } of entries) {
    if (action !== 'name_set' || artifact_id === null || to_version === null) continue;
    const uri = `svc://artifact/${artifact_id}@v=${to_version}`;
    if (!found.has(uri)) found.set(uri, { artifact_id, version: to_version, uri, at, by: actor });
  }
  return [...found.values()];
}
