// What others ask about a publication: whether its bytes are still those that were published, and how to show it.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Blob, companionName, shownAs, titleOf } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import { detailBody } from '../../../protocol/index.ts';
import { open } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { createCompanions } from './companions.ts';
import { createPublicReads } from './publicReads.ts';

const tags = ['publications'];
const params = z.object({ token: z.string() });

export function publicCheckRoutes(app: App, services: Services): void {
  const { activeStory, bytesOf, baseOf, linksOf } = createPublicReads(services);
  const companionOf = createCompanions(services);
  const notThere = { 404: detailBody, 410: detailBody };

  app.get(
    '/p/:token/verify',
    {
      config: open('published'),
      schema: {
        tags,
        summary: 'Whether the bytes are still those that were recorded, and whether a digest is theirs',
        params,
        querystring: z.object({ sha256: z.string().optional() }),
        response: { 200: z.looseObject({ matches: z.boolean() }), ...notThere, 409: detailBody, 503: detailBody },
      },
    },
    async (request) => {
      const story = await activeStory(request.params.token);
      const recorded = story.version.contentSha256;
      if (recorded === null) throw refusals.digestMissing();
      const blob = await bytesOf(story);
      if (!blob) throw refusals.artifactDataNotFound();
      const actual = await digestOf(blob);
      const unchanged = actual === recorded;
      const facts = { recorded_sha256: recorded, actual_sha256: actual, checks: 'the bytes that are served now' };
      const asked = request.query.sha256?.toLowerCase();
      const companionIs = async (digest: string): Promise<string | null> =>
        (await companionOf(story, blob))?.sha256 === digest ? companionName : null;
      if (asked === undefined) return { matches: unchanged, ...facts };
      const file =
        asked === recorded ? `artifact.${shownAs(story.contentType)?.extension ?? 'bin'}` : await companionIs(asked);
      return { matches: unchanged && file !== null, ...facts, sha256: asked, file };
    },
  );

  app.get(
    '/oembed',
    {
      config: open('published'),
      schema: {
        tags,
        summary: 'How another page shows a publication',
        querystring: z.object({ url: z.string(), format: z.string().default('json') }),
        response: { 200: z.looseObject({ version: z.literal('1.0') }), ...notThere, 501: detailBody },
      },
    },
    async (request) => {
      if (request.query.format !== 'json') throw refusals.oembedFormat();
      const base = baseOf(request);
      const token = tokenIn(request.query.url, base);
      if (token === undefined) throw refusals.notAPublicationUrl();
      const story = await activeStory(token);
      const { embed } = linksOf(request, token);
      return {
        version: '1.0' as const,
        type: 'rich',
        provider_name: 'svc',
        provider_url: base,
        title: titleOf(story),
        width: 480,
        height: 420,
        html: `<iframe src="${embed}" width="480" height="420" frameborder="0" sandbox="allow-popups" title="publication"></iframe>`,
      };
    },
  );
}

/** Hosts are compared as browsers compare them: without case and default ports. */
function tokenIn(url: string, base: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const [asked, own] = [new URL(url), new URL(base)];
  const prefix = `${own.pathname.replace(/\/$/, '')}/p/`;
  if (asked.host !== own.host || !asked.pathname.startsWith(prefix)) return undefined;
  const token = asked.pathname.slice(prefix.length);
  return /^[\w-]+$/.test(token) ? token : undefined;
}

async function digestOf(blob: Blob): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of await blob.read()) hash.update(piece);
  return hash.digest('hex');
}
