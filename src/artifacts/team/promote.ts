// Promotion: a version and what it was made from are copied to the team's store, oldest first, and there named, aliased and
// tagged. What was copied stays there as a result that others find, even when naming it is refused afterwards.
import { inputsOf } from '../rows.ts';
import { type ArtifactAddress, type ArtifactVersion, artifactUri, nameUri, shortAddress } from '../types.ts';
import type { TeamStore } from './teamStore.ts';

export interface Promotion {
  readonly name: string | null;
  readonly alias: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

export interface Promoted {
  readonly address: ArtifactAddress;
  /** How many versions the team's store did not have before. */
  readonly copied: number;
  readonly aliasPending: boolean;
}

/** Where versions are copied from. */
export interface PromotionSource {
  get(address: ArtifactAddress): Promise<ArtifactVersion | undefined>;
  fileOf(address: ArtifactAddress): string;
}

const maxDepth = 10;
/** Marks on the team's store which promotion brought a version there. */
const promotionTag = 'nb_promotion';

export async function promote(
  team: TeamStore,
  source: PromotionSource,
  root: ArtifactVersion,
  promotion: Promotion,
  principal: string | null,
): Promise<Promoted> {
  const landed = new Map<string, ArtifactAddress>();
  const fresh: ArtifactAddress[] = [];

  async function copy(version: ArtifactVersion, depth: number): Promise<ArtifactAddress> {
    const known = landed.get(artifactUri(version));
    if (known) return known;
    for (const { address } of inputsOf(version.inputVersions)) {
      const parent = address && depth < maxDepth ? await source.get(address) : undefined;
      if (parent) await copy(parent, depth + 1);
    }
    const {
      id,
      version: number,
      written,
    } = await team.copy(rewired(version, landed), source.fileOf(version), principal);
    const there = { id, version: number };
    landed.set(artifactUri(version), there);
    if (written) fresh.push(there);
    return there;
  }

  const address = await copy(root, 0);
  const { name, alias, tags } = promotion;
  if (name === null) return { address, copied: fresh.length, aliasPending: false };
  const target = { artifact_id: address.id, version: address.version };
  for (const one of fresh) await team.ask('PUT', `${pathOf(one)}/tags`, { key: promotionTag, value: name }, principal);
  await team.ask('POST', '/v1/names', { name, ...target }, principal);
  const aliased =
    alias === null
      ? undefined
      : await team.ask('PUT', `/v1/names/${escaped(name)}/aliases/${encodeURIComponent(alias)}`, target, principal);
  for (const [key, value] of Object.entries(tags)) {
    const own = key.startsWith('nb_') && !fresh.some((one) => shortAddress(one) === shortAddress(address));
    if (!own) await team.ask('PUT', `${pathOf(address)}/tags`, { key, value }, principal);
  }
  return { address, copied: fresh.length, aliasPending: aliased?.status === 202 };
}

const pathOf = ({ id, version }: ArtifactAddress): string => `/v1/artifacts/${encodeURIComponent(id)}/v/${version}`;

/** Slashes of a name stay: it is a path of its own. */
const escaped = (name: string): string => name.split('/').map(encodeURIComponent).join('/');

/** The same version, made from where its inputs lie now. */
function rewired(version: ArtifactVersion, landed: ReadonlyMap<string, ArtifactAddress>): ArtifactVersion {
  if (version.inputVersions === null) return version;
  const inputs = inputsOf(version.inputVersions).map(({ uri, version: recorded, address }): [string, string] => {
    const there = address && landed.get(artifactUri(address));
    if (!there) return [uri, recorded];
    return [uri.startsWith(nameUri('')) ? uri : artifactUri(there), shortAddress(there)];
  });
  return { ...version, inputVersions: JSON.stringify(Object.fromEntries(inputs)) };
}
