// A version and what it was made from, copied to another store, oldest first. Each copy is made from where the copies of its
// inputs landed.
import { createReadStream } from 'node:fs';
import { refusals } from '../../errors/index.ts';
import type { Artifacts } from '../artifacts.ts';
import { recordedInputs } from '../rows.ts';
import { type ArtifactAddress, type ArtifactVersion, artifactUri, nameUri, shortAddress } from '../types.ts';

/** Where versions are copied from. */
export interface CopySource {
  get(address: ArtifactAddress): Promise<ArtifactVersion | undefined>;
  /** A file with the bytes of the version. */
  fileOf(version: ArtifactVersion): Promise<string>;
}

/** The versions of a store that a tenant sees; all of them where none is given. What lies far away is staged here first. */
export const copySourceOf = ({ versions, staging }: Artifacts, tenant?: string): CopySource => ({
  async get(address) {
    const version = await versions.get(address);
    const isVisible = tenant === undefined || version?.tenant === tenant || version?.tenant === '';
    return isVisible ? version : undefined;
  },
  async fileOf(version) {
    const blob = await versions.peek(version);
    if (!blob) throw refusals.artifactDataNotFound();
    return blob.file ?? (await staging.receive(await blob.read(), blob.byteSize)).file;
  },
});

/** Brings one version to the other store; where it landed, and whether it was new there. */
export type CopyOne = (version: ArtifactVersion, file: string) => Promise<ArtifactAddress & { written: boolean }>;

export const defaultDepth = 10;

/** Copies into a store of this process, for the tenant that each version is to have there. */
export async function copyInto(
  { staging, imports, versions }: Artifacts,
  source: CopySource,
  root: ArtifactVersion,
  maxDepth: number,
  tenantOf: (version: ArtifactVersion) => string,
): Promise<{ readonly landed: ArtifactVersion; readonly copied: number }> {
  const { address, fresh } = await copyChain(source, root, maxDepth, async (one, file) => {
    const bytes = await staging.receive(createReadStream(file), Number.POSITIVE_INFINITY);
    const state = one.state === 'superseded' ? 'superseded' : 'ready';
    return imports.land(tenantOf(one), { ...one, state, contentSha256: one.contentSha256 || null }, bytes, true);
  });
  const landed = await versions.get(address);
  if (!landed) throw new Error(`${shortAddress(address)} was copied and is gone again.`);
  return { landed, copied: fresh.length };
}

export async function copyChain(
  source: CopySource,
  root: ArtifactVersion,
  maxDepth: number,
  copyOne: CopyOne,
): Promise<{ readonly address: ArtifactAddress; readonly fresh: readonly ArtifactAddress[] }> {
  const landed = new Map<string, ArtifactAddress>();
  const fresh: ArtifactAddress[] = [];

  async function copy(version: ArtifactVersion, depth: number): Promise<ArtifactAddress> {
    const known = landed.get(artifactUri(version));
    if (known) return known;
    for (const { address } of recordedInputs(version.inputVersions)) {
      const parent = address && depth < maxDepth ? await source.get(address) : undefined;
      if (parent) await copy(parent, depth + 1);
    }
    const { id, version: number, written } = await copyOne(rewired(version, landed), await source.fileOf(version));
    const there = { id, version: number };
    landed.set(artifactUri(version), there);
    if (written) fresh.push(there);
    return there;
  }

  return { address: await copy(root, 0), fresh };
}

/** The same version, made from where its inputs lie now. */
function rewired(version: ArtifactVersion, landed: ReadonlyMap<string, ArtifactAddress>): ArtifactVersion {
  if (version.inputVersions === null) return version;
  const inputs = recordedInputs(version.inputVersions).map(({ uri, version: recorded, address }): [string, string] => {
    const there = address && landed.get(artifactUri(address));
    if (!there) return [uri, recorded];
    return [uri.startsWith(nameUri('')) ? uri : artifactUri(there), shortAddress(there)];
  });
  return { ...version, inputVersions: JSON.stringify(Object.fromEntries(inputs)) };
}
