// Names: each points at one version, within its tenant. Moving one is a single row and a line in the audit.
import { number as numberOf, type Queries, type Row, text } from '../../database/index.ts';
import { refusals } from '../../errors/index.ts';
import { unseenSign } from '../../unseenSigns.ts';
import type { StoreParts } from '../parts.ts';
import { addressOf, findVersion } from '../rows.ts';
import type { ArtifactAddress } from '../types.ts';
import { recordAudit } from './audit.ts';

export interface NamePointer extends ArtifactAddress {
  readonly name: string;
  readonly updatedAt: number;
}

/** Who asks, as far as the registry is concerned: whose names, and who stands in the audit. */
export interface Actor {
  readonly tenant: string;
  readonly principal: string | null;
}

export interface Names {
  list(tenant: string): Promise<NamePointer[]>;
  /** Those who have names, in order. */
  tenants(): Promise<string[]>;
  find(tenant: string, name: string): Promise<NamePointer | undefined>;
  /** Refuses versions that are not ready, and those of other tenants as if they were not there. */
  set(actor: Actor, name: string, target: ArtifactAddress): Promise<void>;
  remove(actor: Actor, name: string): Promise<boolean>;
}

const pointerOf = (row: Row): NamePointer => ({
  ...addressOf(row),
  name: text(row, 'name'),
  updatedAt: numberOf(row, 'updated_at'),
});

const findName = (queries: Queries, tenant: string, name: string): Promise<NamePointer | undefined> =>
  queries.get('SELECT * FROM artifact_names WHERE tenant = ? AND name = ?', [tenant, name], pointerOf);

export function createNames(parts: StoreParts): Names {
  const { database } = parts;
  return {
    list: (tenant) => database.all('SELECT * FROM artifact_names WHERE tenant = ? ORDER BY name', [tenant], pointerOf),
    tenants: () =>
      database.all('SELECT DISTINCT tenant FROM artifact_names ORDER BY tenant', [], (row) => text(row, 'tenant')),
    find: (tenant, name) => findName(database, tenant, name),
    set: (actor, name, target) =>
      database.transaction(async (queries) => {
        const version = await findVersion(queries, target);
        if (!version || (version.tenant !== actor.tenant && version.tenant !== '')) throw refusals.artifactNotFound();
        if (version.state !== 'ready') throw refusals.artifactNotNameable(target.id, target.version, version.state);
        await pointName(parts, queries, actor, name, target);
      }),
    remove: (actor, name) =>
      database.transaction(async (queries) => {
        const before = await findName(queries, actor.tenant, name);
        if (!before) return false;
        await queries.run('DELETE FROM artifact_names WHERE tenant = ? AND name = ?', [actor.tenant, name]);
        await recordAudit(queries, database.dialect, parts.now(), {
          actor: actor.principal,
          action: 'name_delete',
          tenant: actor.tenant,
          name,
          artifactId: before.id,
          fromArtifactId: before.id,
          fromVersion: before.version,
        });
        return true;
      }),
  };
}

/** What people approve, and find by, is what it looks like. */
export function refuseUnseen(label: string, text: string): void {
  const sign = unseenSign(text);
  if (sign !== undefined) throw refusals.signUnseen(label, sign);
}

/** For a version that this very transaction found or made ready. */
export async function pointName(
  { database, now }: StoreParts,
  queries: Queries,
  { tenant, principal }: Actor,
  name: string,
  { id, version }: ArtifactAddress,
): Promise<void> {
  refuseUnseen('name', name);
  const before = await findName(queries, tenant, name);
  await queries.run(
    `INSERT INTO artifact_names (tenant, name, artifact_id, version, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (tenant, name) DO UPDATE SET
       artifact_id = excluded.artifact_id, version = excluded.version, updated_at = excluded.updated_at`,
    [tenant, name, id, version, now()],
  );
  await recordAudit(queries, database.dialect, now(), {
    actor: principal,
    action: 'name_set',
    tenant,
    name,
    artifactId: id,
    toVersion: version,
    ...(before && { fromArtifactId: before.id, fromVersion: before.version }),
  });
}
