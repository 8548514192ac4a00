// A result on its way to the team's store: its variables, its displays, and last what was shown, which only then is whole.
import { type ArtifactAddress, parseArtifactUri, type TeamValues } from '../../artifacts/index.ts';
import type { RunResult } from '../../runtimes/index.ts';
import { labelledKey } from '../provenance/index.ts';
import type { CellRun } from './cellRun.ts';
import type { KeptResult } from './results.ts';
import { readsLabel } from './teamReads.ts';
import { type Shown, shownLabel } from './teamShown.ts';

export interface ShareWork {
  readonly values: TeamValues;
  readonly principal: string | null;
  /** Where the bytes of a version lie. */
  readonly fileOf: (address: ArtifactAddress) => string;
  readonly signal: AbortSignal;
}

export async function shareResult(
  { values, principal, fileOf, signal }: ShareWork,
  { key: baseKey, environmentHash }: CellRun,
  { buildEnv, durationMs: buildDurationMs }: RunResult,
  { key, files = {}, effects, variables, displays, stdout, stderr }: KeptResult,
): Promise<void> {
  const given = new Map<string, string>();

  const give = (variableName: string, contentType: string, bytes: string | Blob, under = key): Promise<void> =>
    values.share(
      labelledKey(under, variableName),
      { contentType, variableName, buildEnv, buildDurationMs, environmentHash },
      bytes,
      principal,
      signal,
    );

  /** Gives the bytes of an artifact once; the label that they have there. */
  async function giveArtifact(uri: string, label: string, contentType: string): Promise<string | null> {
    const address = parseArtifactUri(uri);
    if (!address) return null;
    const known = given.get(uri);
    if (known !== undefined) return known;
    await give(label, contentType, fileOf(address));
    given.set(uri, label);
    return label;
  }

  for (const [name, { uri, contentType }] of Object.entries(variables)) await giveArtifact(uri, name, contentType);
  const shown: Shown['displays'] = [];
  for (const [index, { artifact_uri, variant: _, columns, ...record }] of displays.entries()) {
    const label = await giveArtifact(artifact_uri, `__display__${index}`, record.content_type);
    shown.push({ label, record: { ...record, ...(columns && { columns: [...columns] }) } });
  }
  const text = JSON.stringify({ stdout, stderr, displays: shown, ...(effects ? { effects } : {}) } satisfies Shown);
  await give(shownLabel, 'json/object', new Blob([text]));
  const names = Object.keys(files);
  if (names.length === 0) return;
  await give(readsLabel, 'json/object', new Blob([JSON.stringify({ files: names })]), baseKey);
}
