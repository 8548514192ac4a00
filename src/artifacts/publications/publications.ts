// Publications: a version that anybody who has the link may read. The link's token is shown once; only its digest is kept.
// A withdrawn publication stays on record, and its token is never given out again.
import { createHash } from 'node:crypto';
import { number as numberOf, numberOrNull, type Queries, type Row, text, textOrNull } from '../../database/index.ts';
import { refusals } from '../../errors/index.ts';
import { newSecret } from '../../newSecret.ts';
import type { StoreParts } from '../parts.ts';
import { recordAudit } from '../registry/audit.ts';
import { type Actor, refuseUnseen } from '../registry/names.ts';
import { addressOf, lockKey } from '../rows.ts';
import type { ArtifactAddress, ArtifactVersion } from '../types.ts';

export interface Author {
  readonly name: string;
  readonly orcid?: string | undefined;
  readonly affiliation?: string | undefined;
}

export interface ExternalId {
  readonly scheme: string;
  readonly value: string;
}

export interface Publication extends ArtifactAddress {
  /** SHA-256 of the token. */
  readonly publicationId: string;
  readonly tenant: string;
  readonly title: string | null;
  readonly authors: readonly Author[];
  readonly externalIds: readonly ExternalId[];
  readonly publishedAt: number;
  readonly publishedBy: string | null;
  readonly revokedAt: number | null;
}

export interface PublicationFacts {
  readonly title: string | null;
  readonly authors: readonly Author[];
  readonly externalIds: readonly ExternalId[];
}

export interface Publications {
  /** The token is null when the version is published already. */
  publish(
    actor: Actor,
    version: ArtifactVersion,
    facts: PublicationFacts,
  ): Promise<{ publication: Publication; token: string | null }>;
  list(tenant: string | undefined, includeRevoked: boolean): Promise<Publication[]>;
  /** By the token only: an id opens nothing. */
  byToken(token: string): Promise<Publication | undefined>;
  /** By token or id, for those who may edit. */
  find(tenant: string | undefined, tokenOrId: string): Promise<Publication | undefined>;
  edit(
    actor: Actor,
    publication: Publication,
    change: { readonly authors: readonly Author[] | null; readonly externalIds: readonly ExternalId[] | null },
  ): Promise<Publication>;
  /** False when it is not active. */
  withdraw(actor: Actor, publication: Publication): Promise<boolean>;
}

export const publicationId = (token: string): string => createHash('sha256').update(token).digest('hex');

function publicationOf(row: Row): Publication {
  const authors: Author[] = JSON.parse(text(row, 'authors'));
  const externalIds: ExternalId[] = JSON.parse(text(row, 'external_ids'));
  return {
    ...addressOf(row),
    publicationId: text(row, 'id'),
    tenant: text(row, 'tenant'),
    title: textOrNull(row, 'title'),
    authors,
    externalIds,
    publishedAt: numberOf(row, 'published_at'),
    publishedBy: textOrNull(row, 'published_by'),
    revokedAt: numberOrNull(row, 'revoked_at'),
  };
}

const byId = (queries: Queries, id: string): Promise<Publication | undefined> =>
  queries.get('SELECT * FROM artifact_publications WHERE id = ?', [id], publicationOf);

export function createPublications({ database, now }: StoreParts): Publications {
  const audit = (queries: Queries, actor: Actor, action: string, { id, version }: ArtifactAddress): Promise<void> =>
    recordAudit(queries, database.dialect, now(), {
      actor: actor.principal,
      action,
      tenant: actor.tenant,
      artifactId: id,
      toVersion: version,
    });

  return {
    publish: (actor, version, facts) =>
      database.transaction(async (queries) => {
        refuseUnseenIn(facts);
        if (version.state !== 'ready' && version.state !== 'superseded') throw refusals.artifactNotReady(version.state);
        if (version.tenant !== actor.tenant && version.tenant !== '')
          throw refusals.publicationTenant(version.id, version.version, version.tenant, actor.tenant);
        await lockKey(queries, database.dialect, `publication:${version.id}@${version.version}`);
        const active = await queries.get(
          'SELECT * FROM artifact_publications WHERE tenant = ? AND artifact_id = ? AND version = ? AND revoked_at IS NULL',
          [actor.tenant, version.id, version.version],
          publicationOf,
        );
        if (active) return { publication: active, token: null };
        const token = newSecret();
        const publication: Publication = {
          ...facts,
          id: version.id,
          version: version.version,
          publicationId: publicationId(token),
          tenant: actor.tenant,
          publishedAt: now(),
          publishedBy: actor.principal,
          revokedAt: null,
        };
        await insertPublication(queries, publication);
        await audit(queries, actor, 'publish', version);
        return { publication, token };
      }),

    list: (tenant, includeRevoked) =>
      database.all(
        `SELECT * FROM artifact_publications WHERE ${tenant === undefined ? '1 = 1' : 'tenant = ?'}
         ${includeRevoked ? '' : 'AND revoked_at IS NULL'} ORDER BY published_at DESC, id`,
        tenant === undefined ? [] : [tenant],
        publicationOf,
      ),
    byToken: (token) => byId(database, publicationId(token)),
    async find(tenant, tokenOrId) {
      const found = (await byId(database, publicationId(tokenOrId))) ?? (await byId(database, tokenOrId));
      return found && (tenant === undefined || found.tenant === tenant) ? found : undefined;
    },

    edit: (actor, publication, change) =>
      database.transaction(async (queries) => {
        refuseUnseenIn(change);
        const edited = {
          ...publication,
          authors: change.authors ?? publication.authors,
          externalIds: change.externalIds ?? publication.externalIds,
        };
        await queries.run('UPDATE artifact_publications SET authors = ?, external_ids = ? WHERE id = ?', [
          JSON.stringify(edited.authors),
          JSON.stringify(edited.externalIds),
          publication.publicationId,
        ]);
        await audit(queries, actor, 'credit', publication);
        return edited;
      }),

    withdraw: (actor, publication) =>
      database.transaction(async (queries) => {
        const withdrawn = await queries.run(
          'UPDATE artifact_publications SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
          [now(), publication.publicationId],
        );
        if (withdrawn > 0) await audit(queries, actor, 'withdraw', publication);
        return withdrawn > 0;
      }),
  };
}

/** What readers take for the title and the people of a publication is what it looks like. */
function refuseUnseenIn({
  title = null,
  authors,
}: {
  readonly title?: string | null;
  readonly authors: readonly Author[] | null;
}): void {
  if (title !== null) refuseUnseen('title', title);
  for (const { name, affiliation } of authors ?? []) {
    refuseUnseen('name of an author', name);
    refuseUnseen('affiliation of an author', affiliation ?? '');
  }
}

async function insertPublication(queries: Queries, row: Publication): Promise<void> {
  await queries.run(
    `INSERT INTO artifact_publications
       (id, tenant, artifact_id, version, title, authors, external_ids, published_at, published_by, revoked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`,
    [
      row.publicationId,
      row.tenant,
      row.id,
      row.version,
      row.title,
      JSON.stringify(row.authors),
      JSON.stringify(row.externalIds),
      row.publishedAt,
      row.publishedBy,
    ],
  );
}
