// What everybody who has the link of a publication may read. A withdrawn one says so and gives nothing away.
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  badge,
  claims,
  crateOf,
  embedCard,
  previewOf,
  publicationPage,
  shownAs,
  tellStory,
  withdrawnPage,
} from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import { detailBody } from '../../../protocol/index.ts';
import { open } from '../../access.ts';
import { fileContent } from '../../fileContent.ts';
import { framePolicy } from '../../plugins/envelope.ts';
import { sendBlob } from '../../sendBlob.ts';
import type { App, Services } from '../../services.ts';
import { createArchives } from './archives.ts';
import { createCompanions } from './companions.ts';
import { storeOf } from './gates.ts';
import { creditsOf } from './publications.ts';
import { createPublicReads } from './publicReads.ts';

const tags = ['publications'];
const params = z.object({ token: z.string() });
const pagePolicy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const page = (description: string, ...types: string[]) => ({
  description,
  content: fileContent(...types),
});

const notThere = { 404: detailBody, 410: detailBody };

export function publicPageRoutes(app: App, services: Services): void {
  const { find, activeStory, bytesOf, linksOf } = createPublicReads(services);

  app.get(
    '/v1/publications/:token',
    {
      config: open('published'),
      schema: {
        tags,
        summary: 'A publication, what was published and how it came about',
        params,
        response: { 200: z.looseObject({ publication: z.looseObject({}) }), 404: detailBody },
      },
    },
    async (request) => {
      const { token } = request.params;
      const publication = await find(token);
      const { title, publishedAt, revokedAt } = publication;
      const shown = { token, url: `/p/${token}`, title, published_at: publishedAt, revoked_at: revokedAt };
      if (revokedAt !== null) return { publication: shown };
      const { version, contentType, lineage } = await activeStory(token);
      return {
        publication: {
          ...shown,
          artifact_id: version.id,
          version: version.version,
          published_by: publication.publishedBy,
          ...creditsOf(publication),
        },
        artifact: {
          artifact_id: version.id,
          version: version.version,
          provenance_hash: version.provenanceHash,
          content_type: contentType,
          created_at: version.createdAt,
          byte_size: version.byteSize,
          row_count: version.rowCount,
          principal: version.principal,
        },
        content_sha256: version.contentSha256,
        lineage,
        claims,
      };
    },
  );

  const sendPage = (reply: FastifyReply, policy: string, text: string): FastifyReply =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(text);

  app.get(
    '/p/:token',
    {
      config: open('published'),
      schema: {
        tags,
        summary: 'The page of a publication',
        params,
        response: { 200: page('The page', 'text/html'), 404: detailBody },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const { title, revokedAt } = await find(token);
      if (revokedAt !== null) return sendPage(reply, pagePolicy, withdrawnPage(title, revokedAt));
      const story = await activeStory(token);
      const preview = await previewOf(story, await bytesOf(story));
      return sendPage(reply, pagePolicy, publicationPage(story, linksOf(request, token), preview));
    },
  );

  app.get(
    '/p/:token/embed',
    {
      config: open('published'),
      schema: {
        tags,
        summary: 'A card for other pages',
        params,
        response: { 200: page('The card', 'text/html'), ...notThere },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const story = await activeStory(token);
      const card = embedCard(story, linksOf(request, token), await previewOf(story, await bytesOf(story)));
      return sendPage(reply, `${pagePolicy}; frame-ancestors *`, card);
    },
  );

  publicFileRoutes(app, services);
}

/** What can be taken along of a publication. */
function publicFileRoutes(app: App, services: Services): void {
  const { settings, log } = services;
  const { find, activeStory, bytesOf, linksOf } = createPublicReads(services);
  const archives = createArchives(settings.cacheDir, createCompanions(services));

  app.get(
    '/p/:token/data',
    {
      config: open('published'),
      schema: {
        tags,
        summary: 'The published bytes',
        params,
        response: {
          200: page(
            'The bytes',
            'application/octet-stream',
            'application/vnd.apache.arrow.stream',
            'application/json',
            'image/png',
            'text/markdown',
          ),
          ...notThere,
          503: detailBody,
        },
      },
    },
    async (request, reply) => {
      const story = await activeStory(request.params.token);
      const blob = await bytesOf(story);
      if (!blob) throw refusals.artifactDataNotFound();
      const type = shownAs(story.contentType);
      reply.type(type?.mediaType ?? 'application/octet-stream');
      reply.header('content-security-policy', `sandbox; ${framePolicy(settings)}`);
      if (!type) reply.header('content-disposition', 'attachment');
      return sendBlob(reply, blob, log);
    },
  );

  app.get(
    '/p/:token/badge.svg',
    {
      config: open('published'),
      schema: {
        tags,
        summary: 'A badge',
        params,
        response: { 200: page('The badge', 'image/svg+xml'), 404: detailBody },
      },
    },
    async (request, reply) => {
      const publication = await find(request.params.token);
      const withdrawn = publication.revokedAt !== null;
      const story = withdrawn ? undefined : await tellStory(storeOf(services).parts, publication);
      const steps = story?.lineage.nodes.length ?? 0;
      reply.type('image/svg+xml').header('cache-control', 'public, max-age=300');
      return reply.send(badge(`${steps} ${steps === 1 ? 'step' : 'steps'}`, withdrawn));
    },
  );

  app.get(
    '/p/:token/ro-crate',
    {
      config: open('published'),
      schema: {
        tags,
        summary: 'The publication as an RO-Crate',
        params,
        response: { 200: page('The crate', 'application/ld+json'), ...notThere },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const crate = crateOf(await activeStory(token), linksOf(request, token));
      return reply.type('application/ld+json').send(Buffer.from(JSON.stringify(crate)));
    },
  );

  app.get(
    '/p/:token/archive.zip',
    {
      config: open('published'),
      schema: {
        tags,
        summary: 'Page, data and provenance in one file',
        params,
        response: { 200: page('The archive', 'application/zip'), ...notThere, 503: detailBody },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const story = await activeStory(token);
      const blob = await bytesOf(story);
      if (!blob) throw refusals.artifactDataNotFound();
      const links = linksOf(request, token);
      const archive = await archives.of(story, links, blob);
      reply.type('application/zip').header('content-digest', `sha-256=:${archive.digest}:`);
      reply.header('content-disposition', `attachment; filename="${token}.zip"`);
      reply.header('content-security-policy', `sandbox; ${framePolicy(settings)}`);
      return sendBlob(reply, archive.blob, log);
    },
  );
}
