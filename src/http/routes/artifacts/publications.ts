// Publishing: minting, listing, crediting and withdrawing publications.
import { z } from 'zod';
import type { Publication } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import {
  detailBody,
  detailObjectBody,
  publicationBody,
  publicationEdit,
  publishRequest,
  queryBool,
} from '../../../protocol/index.ts';
import { anyCaller, needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { actorOf, addressIn, finishedVersionFor, storeOf, versionParams, writableStore } from './gates.ts';
import { checkTables } from './tables.ts';

const tags = ['publications'];
const tokenParams = z.object({ token: z.string() });

export function publicationRoutes(app: App, services: Services): void {
  const refused = { 400: detailBody, 403: detailObjectBody, 404: detailBody };

  app.post(
    '/v1/artifacts/:artifact_id/v/:version/publish',
    {
      config: needs('artifacts:publish'),
      schema: {
        tags,
        summary: 'Make a version readable for everybody who has the link; the link is shown this once',
        params: versionParams,
        body: publishRequest,
        response: { 200: publicationBody, ...refused },
      },
    },
    async ({ params, body, caller }) => {
      const version = await finishedVersionFor(services, caller, addressIn(params));
      await checkTables(services, caller, version);
      const { publication, token } = await writableStore(services).publications.publish(actorOf(caller), version, {
        title: body?.title || null,
        authors: body?.authors ?? [],
        externalIds: body?.external_ids ?? [],
      });
      return bodyOf(publication, token);
    },
  );

  app.get(
    '/v1/publications',
    {
      config: anyCaller(),
      schema: {
        tags,
        summary: 'Publications, newest first',
        querystring: z.object({ include_revoked: queryBool().default(false) }),
        response: { 200: z.array(publicationBody), 404: detailBody },
      },
    },
    async ({ query, caller }) => {
      const found = await storeOf(services).publications.list(ownerFilter(caller), query.include_revoked);
      return found.map((publication) => bodyOf(publication, null));
    },
  );

  app.patch(
    '/v1/publications/:token',
    {
      config: needs('artifacts:publish'),
      schema: {
        tags,
        summary: 'Who is credited, and where else the work is known',
        params: tokenParams,
        body: publicationEdit,
        response: { 200: publicationBody, ...refused },
      },
    },
    async ({ params: { token }, body, caller }) => {
      if ('artifact_id' in body || 'version' in body) throw refusals.publicationVersionFixed();
      const { publications } = writableStore(services);
      const found = await publications.find(ownerFilter(caller), token);
      if (!found) throw refusals.publicationNotFound();
      const edited = await publications.edit(actorOf(caller), found, {
        authors: body.authors,
        externalIds: body.external_ids,
      });
      return bodyOf(edited, token === found.publicationId ? null : token);
    },
  );

  app.delete(
    '/v1/publications/:token',
    {
      config: needs('artifacts:publish'),
      schema: {
        tags,
        summary: 'Withdraw a publication; its link is never given out again',
        params: tokenParams,
        response: { 200: z.object({ revoked: z.boolean(), token: z.string() }), ...refused },
      },
    },
    async ({ params: { token }, caller }) => {
      const { publications } = writableStore(services);
      const found = await publications.find(ownerFilter(caller), token);
      if (!found || !(await publications.withdraw(actorOf(caller), found))) throw refusals.publicationNotActive();
      return { revoked: true, token };
    },
  );
}

const ownerFilter = (caller: Caller): string | undefined =>
  caller.authenticated && !caller.scopes.has('admin:*') ? (caller.tenant ?? '') : undefined;

export const creditsOf = ({ authors, externalIds }: Publication) => ({
  authors: authors.map((author) => ({ ...author })),
  external_ids: externalIds.map(({ scheme, value }) => ({ scheme: schemeOf(scheme), value })),
});

const schemes = ['doi', 'zenodo', 'arxiv', 'url'] as const;
const schemeOf = (scheme: string) => schemes.find((known) => known === scheme) ?? 'url';

const bodyOf = (publication: Publication, token: string | null): z.infer<typeof publicationBody> => ({
  id: publication.publicationId,
  token,
  url: token === null ? null : `/p/${token}`,
  artifact_id: publication.id,
  version: publication.version,
  title: publication.title,
  published_at: publication.publishedAt,
  published_by: publication.publishedBy,
  revoked_at: publication.revokedAt,
  ...creditsOf(publication),
});
