// Tags: words on a version, within a tenant, and the versions that carry a given one.
import { text } from '../../database/index.ts';
import { refusals } from '../../errors/index.ts';
import type { StoreParts } from '../parts.ts';
import { addressOf, findVersion } from '../rows.ts';
import type { ArtifactAddress } from '../types.ts';
import { recordAudit } from './audit.ts';
import { type Actor, refuseUnseen } from './names.ts';

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
  return {
    of,
    set: (actor, address, key, value) =>
      database.transaction(async (queries) => {
        refuseUnseen('key of the tag', key);
        refuseUnseen('value of the tag', value);
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
      const params = [tenant, key, ...(value === undefined ? [] : [value])];
      const where = `WHERE t.tenant = ? AND t.key = ?${value === undefined ? '' : ' AND t.value = ?'}`;
      const found = await database.all(
        `SELECT t.artifact_id, t.version FROM artifact_tags t
         JOIN artifact_versions v ON v.id = t.artifact_id AND v.version = t.version AND v.state = 'ready'
         ${where} ORDER BY v.created_at DESC, t.artifact_id, t.version`,
        params,
        addressOf,
      );
      const names = await database.all(
        `SELECT n.artifact_id, n.version, n.name FROM artifact_tags t JOIN artifact_names n
           ON n.tenant = t.tenant AND n.artifact_id = t.artifact_id AND n.version = t.version ${where} ORDER BY n.name`,
        params,
        (row) => ({ place: placeOf(addressOf(row)), name: text(row, 'name') }),
      );
      const tags = await database.all(
        `SELECT o.artifact_id, o.version, o.key, o.value FROM artifact_tags t JOIN artifact_tags o
           ON o.tenant = t.tenant AND o.artifact_id = t.artifact_id AND o.version = t.version ${where} ORDER BY o.key`,
        params,
        (row) => ({ place: placeOf(addressOf(row)), entry: [text(row, 'key'), text(row, 'value')] as const }),
      );
      const namesAt = Map.groupBy(names, ({ place }) => place);
      const tagsAt = Map.groupBy(tags, ({ place }) => place);
      return found.map((address) => ({
        ...address,
        names: (namesAt.get(placeOf(address)) ?? []).map(({ name }) => name),
        tags: Object.fromEntries((tagsAt.get(placeOf(address)) ?? []).map(({ entry }) => entry)),
      }));
    },
  };
}

const placeOf = ({ id, version }: ArtifactAddress): string => `${id}@${version}`;
