// Tags: words on a version, within a tenant, and the versions that carry a given one.
import { text } from '../../database/index.ts';
import { refusals } from '../../errors/index.ts';
import type { StoreParts } from '../parts.ts';
import { addressOf, findVersion } from '../rows.ts';
import type { ArtifactAddress } from '../types.ts';
import { recordAudit } from './audit.ts';
import type { Actor } from './names.ts';

export interface TaggedVersion extends ArtifactAddress {
  readonly names: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

export interface Tags {
  of(tenant: string, address: ArtifactAddress): Promise<Record<string, string>>;
  set(actor: Actor, address: ArtifactAddress, key: string, value: string): Promise<void>;
  remove(actor: Actor, address: ArtifactAddress, key: string): Promise<boolean>;
  /** Ready versions that carry the tag, and what else they carry. */
  search(tenant: string, key: string, value: string | undefined): Promise<TaggedVersion[]>;
}

export function createTags({ database, now }: StoreParts): Tags {
  const of = async (tenant: string, { id, version }: ArtifactAddress): Promise<Record<string, string>> =>
    Object.fromEntries(
      await database.all(
        'SELECT key, value FROM artifact_tags WHERE tenant = ? AND artifact_id = ? AND version = ? ORDER BY key',
        [tenant, id, version],
        (row): [string, string] => [text(row, 'key'), text(row, 'value')],
      ),
    );
  const namesOf = (tenant: string, { id, version }: ArtifactAddress): Promise<string[]> =>
    database.all(
      'SELECT name FROM artifact_names WHERE tenant = ? AND artifact_id = ? AND version = ? ORDER BY name',
      [tenant, id, version],
      (row) => text(row, 'name'),
    );
  return {
    of,
    set: (actor, address, key, value) =>
      database.transaction(async (queries) => {
        const version = await findVersion(queries, address);
        if (!version || (version.tenant !== actor.tenant && version.tenant !== '')) throw refusals.artifactNotFound();
        await queries.run(
          `INSERT INTO artifact_tags (tenant, artifact_id, version, key, value) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (tenant, artifact_id, version, key) DO UPDATE SET value = excluded.value`,
          [actor.tenant, address.id, address.version, key, value],
        );
        await recordAudit(queries, database.dialect, now(), {
          actor: actor.principal,
          action: 'tag_set',
          tenant: actor.tenant,
          artifactId: address.id,
          toVersion: address.version,
          key,
          value,
        });
      }),
    remove: (actor, address, key) =>
      database.transaction(async (queries) => {
        const removed = await queries.run(
          'DELETE FROM artifact_tags WHERE tenant = ? AND artifact_id = ? AND version = ? AND key = ?',
          [actor.tenant, address.id, address.version, key],
        );
        if (removed === 0) return false;
        await recordAudit(queries, database.dialect, now(), {
          actor: actor.principal,
          action: 'tag_delete',
          tenant: actor.tenant,
          artifactId: address.id,
          fromVersion: address.version,
          key,
        });
        return true;
      }),
    async search(tenant, key, value) {
      const condition = value === undefined ? '' : ' AND t.value = ?';
      const found = await database.all(
        `SELECT t.artifact_id, t.version FROM artifact_tags t
         JOIN artifact_versions v ON v.id = t.artifact_id AND v.version = t.version AND v.state = 'ready'
         WHERE t.tenant = ? AND t.key = ?${condition} ORDER BY v.created_at DESC, t.artifact_id, t.version`,
        [tenant, key, ...(value === undefined ? [] : [value])],
        addressOf,
      );
      return Promise.all(
        found.map(async (address) => ({
          ...address,
          names: await namesOf(tenant, address),
          tags: await of(tenant, address),
        })),
      );
    },
  };
}
