// What every public route needs: the publication behind a token, its story and bytes, and the addresses of its pages.
import type { FastifyRequest } from 'fastify';
import { type Blob, type Links, type Publication, type Story, tellStory } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Services } from '../../services.ts';
import { storeOf } from './gates.ts';

export interface PublicReads {
  /** Also withdrawn ones. */
  find(token: string): Promise<Publication>;
  /** Of one that may be read. */
  activeStory(token: string): Promise<Story>;
  bytesOf(story: Story): Promise<Blob | undefined>;
  /** Where this server is reached from outside. */
  baseOf(request: FastifyRequest): string;
  linksOf(request: FastifyRequest, token: string): Links;
}

export function createPublicReads(services: Services): PublicReads {
  const { settings } = services;

  async function find(token: string): Promise<Publication> {
    const found = await services.artifacts?.publications.byToken(token);
    if (!found) throw refusals.publicationUnknown();
    return found;
  }

  async function activeStory(token: string): Promise<Story> {
    const publication = await find(token);
    if (publication.revokedAt !== null) throw refusals.withdrawn();
    const story = await tellStory(storeOf(services).parts, publication);
    if (!story) throw refusals.artifactDataNotFound();
    return story;
  }

  const bytesOf = (story: Story): Promise<Blob | undefined> => storeOf(services).versions.open(story.version);

  const baseOf = (request: FastifyRequest): string =>
    `${settings.publicBaseUrl?.replace(/\/$/, '') ?? `${request.protocol}://${request.host}`}${settings.publicBasePath}`;

  function linksOf(request: FastifyRequest, token: string): Links {
    const base = baseOf(request);
    const own = `${base}/p/${token}`;
    return {
      page: own,
      data: `${own}/data`,
      embed: `${own}/embed`,
      badge: `${own}/badge.svg`,
      crate: `${own}/ro-crate`,
      archive: `${own}/archive.zip`,
      verify: `${own}/verify`,
      oembed: `${base}/oembed?url=${encodeURIComponent(own)}&format=json`,
    };
  }

  return { find, activeStory, bytesOf, baseOf, linksOf };
}
