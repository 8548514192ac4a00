// Promotion: a version and what it was made from are copied to the team's store, oldest first, and there named, aliased and
// tagged, and written to a table where one is wished. What was copied stays there as a result that others find, even when
// naming it is refused afterwards.
import { z } from 'zod';
import { type ArtifactAddress, type ArtifactVersion, shortAddress } from '../types.ts';
import { type CopySource, copyChain, defaultDepth } from './copyChain.ts';
import { escapedName, pathOf } from './paths.ts';
import type { TeamStore } from './teamStore.ts';

export interface Promotion {
  readonly name: string | null;
  readonly alias: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** The table of the team's store that gets its rows. */
  readonly table: string | null;
  /** How many steps back are copied too. */
  readonly maxDepth?: number;
}

export interface Promoted {
  readonly address: ArtifactAddress;
  /** How many versions the team's store did not have before. */
  readonly copied: number;
  readonly aliasPending: boolean;
  /** The snapshot that holds its rows, a 64-bit integer; null without a table. */
  readonly tableSnapshot: unknown;
}

/** Marks on the team's store which promotion brought a version there. */
const promotionTag = 'nb_promotion';

export async function promote(
  team: TeamStore,
  source: CopySource,
  root: ArtifactVersion,
  promotion: Promotion,
  principal: string | null,
): Promise<Promoted> {
  const { address, fresh } = await copyChain(source, root, promotion.maxDepth ?? defaultDepth, (version, file) =>
    team.copy(version, file, principal),
  );
  const aliasPending = await describe(team, address, fresh, promotion, principal);
  const { table } = promotion;
  // A tag of the table would say what nobody has approved yet.
  const alias = aliasPending ? null : promotion.alias;
  const exported =
    table === null ? null : await team.ask('POST', `${pathOf(address)}/export`, { table, alias }, principal);
  const tableSnapshot = exported === null ? null : exportedBody.parse(exported.body).snapshot_id;
  return { address, copied: fresh.length, aliasPending, tableSnapshot };
}

/** Names, aliases and tags it; true when the alias waits for approval. */
async function describe(
  team: TeamStore,
  address: ArtifactAddress,
  fresh: readonly ArtifactAddress[],
  { name, alias, tags }: Promotion,
  principal: string | null,
): Promise<boolean> {
  if (name === null) return false;
  const target = { artifact_id: address.id, version: address.version };
  for (const one of fresh) await team.ask('PUT', `${pathOf(one)}/tags`, { key: promotionTag, value: name }, principal);
  await team.ask('POST', '/v1/names', { name, ...target }, principal);
  const aliased =
    alias === null
      ? undefined
      : await team.ask('PUT', `/v1/names/${escapedName(name)}/aliases/${encodeURIComponent(alias)}`, target, principal);
  for (const [key, value] of Object.entries(tags)) {
    const own = key.startsWith('nb_') && !fresh.some((one) => shortAddress(one) === shortAddress(address));
    if (!own) await team.ask('PUT', `${pathOf(address)}/tags`, { key, value }, principal);
  }
  return aliased?.status === 202;
}

const exportedBody = z.object({ snapshot_id: z.unknown() });
