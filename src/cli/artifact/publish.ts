// `svc artifact publish`, `unpublish`, `promote` and `archive`: results handed to others. What is published elsewhere is
// copied there first, with everything that it was made from.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import {
  type Artifacts,
  type ArtifactVersion,
  artifactUri,
  copyChain,
  copyInto,
  copySourceOf,
  createTeamStore,
  defaultDepth,
  type Links,
  lineageOf,
  type Publication,
  previewOf,
  promote,
  shortAddress,
  type TeamStore,
  tellStory,
  writeArchive,
  writeArchiveFolder,
} from '../../artifacts/index.ts';
import type { Settings } from '../../settings/index.ts';
import { UsageError } from '../failure.ts';
import { check } from '../options.ts';
import { printJson } from '../print.ts';
import { findReference, type OpenedStore, storeOptions, withStore } from './store.ts';

const format = z.enum(['human', 'json']);
const header = z.array(z.string().regex(/^[^:\s]+:\s*.+$/, "is written 'Name: value'"));
const depth = z.coerce.number('must be a number').int('must be a whole number').min(1).max(100);
const publishOptions = storeOptions.extend({
  title: z.string().optional(),
  author: z.array(z.string().min(1)),
  into: z.string().optional(),
  to: z.url().optional(),
  here: z.boolean().default(false),
  header,
  maxDepth: depth,
  format,
});
const unpublishOptions = storeOptions;
const promoteOptions = storeOptions.extend({
  to: z.url(),
  name: z.string().min(1).max(512),
  alias: z.string().min(1).max(128).optional(),
  tag: z.array(z.string().regex(/^[^=]+=/, 'is written KEY=VALUE')),
  table: z.string().min(1).max(1024).optional(),
  header,
  maxDepth: depth,
  format,
});
const archiveOptions = storeOptions.extend({
  token: z.string().min(1).optional(),
  to: z.string().min(1),
  title: z.string().optional(),
  author: z.array(z.string().min(1)),
  force: z.boolean().default(false),
  maxDepth: depth.optional(),
});

function remoteStore(url: string, headers: readonly string[], settings: Settings): TeamStore {
  const given = headers.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  const token = settings.storeToken === null ? {} : { authorization: `Bearer ${settings.storeToken}` };
  return createTeamStore({ url, headers: { ...token, ...Object.fromEntries(given) }, principalHeader: null });
}

interface Published {
  readonly id: string;
  readonly token: string | null;
  readonly destination: string;
  readonly copied: number;
  readonly record: unknown;
}

const publicationRecord = z.looseObject({ id: z.string(), token: z.string().nullable() });

export async function publishArtifact(reference: string, given: object): Promise<void> {
  const options = check(publishOptions, given);
  if ([options.into, options.to, options.here || undefined].filter((one) => one !== undefined).length > 1)
    throw new UsageError('--into, --to and --here exclude each other');
  await withStore(options, async (store) => {
    const version = await findReference(store.artifacts, reference, options.tenant);
    const facts = { title: options.title ?? null, authors: options.author.map((name) => ({ name })) };
    const published = options.to
      ? await publishRemotely(store, version, facts, options.to, options)
      : options.into
        ? await withStore({ artifactDir: options.into }, (target) =>
            publishInto(store, version, facts, target, options.maxDepth),
          )
        : await publishHere(store, version, facts, 0);
    if (options.format === 'json') return printJson(published.record);
    if (published.token === null)
      process.stdout.write(
        `${shortAddress(version)} is published already (publication id ${published.id}); its link was shown then.\n`,
      );
    else {
      const { nodes } = await lineageOf(store.artifacts.versions, version, options.maxDepth, () => true);
      process.stdout.write(
        `/p/${published.token}
at ${published.destination}; ${published.copied} versions were copied there.
These steps can now be read by everybody who has the link:
${nodes.map(({ uri, transform_ref: by }) => `  ${uri}${by === null ? '' : `  ${by}`}\n`).join('')}To withdraw it: svc artifact unpublish ${published.id}
`,
      );
    }
  });
}

interface Facts {
  readonly title: string | null;
  readonly authors: readonly { readonly name: string }[];
}

async function publishHere(
  { artifacts, artifactDir }: OpenedStore,
  version: ArtifactVersion,
  facts: Facts,
  copied: number,
): Promise<Published> {
  const actor = { tenant: version.tenant, principal: null };
  const { publication, token } = await artifacts.publications.publish(actor, version, { ...facts, externalIds: [] });
  const { publicationId: id, title, publishedAt, authors } = publication;
  const address = { artifact_id: version.id, version: version.version };
  const url = token === null ? null : `/p/${token}`;
  const record = { id, token, url, ...address, title, published_at: publishedAt, authors };
  return { id, token, destination: artifactDir, copied, record };
}

async function publishInto(
  from: OpenedStore,
  version: ArtifactVersion,
  facts: Facts,
  target: OpenedStore,
  maxDepth: number,
): Promise<Published> {
  const source = copySourceOf(from.artifacts);
  const { landed, copied } = await copyInto(target.artifacts, source, version, maxDepth, ({ tenant }) => tenant);
  return publishHere(target, landed, facts, copied);
}

async function publishRemotely(
  { artifacts, settings }: OpenedStore,
  version: ArtifactVersion,
  facts: Facts,
  url: string,
  options: { readonly header: readonly string[]; readonly maxDepth: number },
): Promise<Published> {
  const remote = remoteStore(url, options.header, settings);
  const { address, fresh } = await copyChain(copySourceOf(artifacts), version, options.maxDepth, (one, file) =>
    remote.copy(one, file, null),
  );
  const place = `/v1/artifacts/${encodeURIComponent(address.id)}/v/${address.version}/publish`;
  const answer = await remote.ask('POST', place, facts, null);
  const { id, token } = publicationRecord.parse(answer.body);
  return { id, token, destination: remote.url, copied: fresh.length, record: answer.body };
}

export async function unpublishArtifact(tokenOrId: string, given: object): Promise<void> {
  const options = check(unpublishOptions, given);
  await withStore(options, async ({ artifacts: { publications } }) => {
    const found = await publications.find(options.tenant, tokenOrId);
    const withdrawn = found && (await publications.withdraw({ tenant: found.tenant, principal: null }, found));
    process.stdout.write(withdrawn ? `Withdrawn ${found.publicationId}.\n` : 'No active publication of that name.\n');
    if (!withdrawn) process.exitCode = 1;
  });
}

export async function promoteArtifact(reference: string, given: object): Promise<void> {
  const options = check(promoteOptions, given);
  await withStore(options, async ({ artifacts, settings }) => {
    const version = await findReference(artifacts, reference, options.tenant);
    const tags = Object.fromEntries(
      options.tag.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    );
    const remote = remoteStore(options.to, options.header, settings);
    const { name, alias = null, table = null, maxDepth } = options;
    const wish = { name, alias, tags, table, maxDepth };
    const promoted = await promote(remote, copySourceOf(artifacts), version, wish, null);
    const { address, copied, aliasPending, tableSnapshot } = promoted;
    const result = { name, artifact_uri: artifactUri(address), copied, alias_pending: aliasPending };
    if (options.format === 'json') return printJson({ ...result, table, table_snapshot: tableSnapshot });
    process.stdout.write(
      `${name} is ${result.artifact_uri} at ${remote.url}; ${copied} versions were copied there.${aliasPending ? ' The alias waits for approval.' : ''}\n`,
    );
  });
}

/** Without a token, what would be published: nothing is minted, and the page's links stay in the archive. */
export async function archiveArtifact(reference: string | undefined, given: object): Promise<void> {
  const options = check(archiveOptions, given);
  if ((reference === undefined) === (options.token === undefined))
    throw new UsageError('give either a reference or --token');
  if (!options.force && existsSync(options.to)) throw new UsageError(`${options.to} exists; --force replaces it`);
  await withStore(options, async ({ artifacts }) => {
    const publication = await archivedPublication(artifacts, reference, options);
    const depthOf = options.maxDepth ?? (options.token === undefined ? defaultDepth : undefined);
    const story = await tellStory(artifacts.parts, publication, depthOf);
    const blob = story && (await artifacts.versions.peek(story.version));
    if (!story || !blob) throw new Error(`${shortAddress(publication)} has no bytes.`);
    const archived = { story, links: inArchive, preview: await previewOf(story, blob), blob, companion: undefined };
    const target = path.resolve(options.to);
    if (!options.to.endsWith('.zip')) {
      await writeArchiveFolder(archived, target);
      process.stdout.write(`${options.to}\n`);
      return;
    }
    const digest = await writeArchive(archived, target);
    process.stdout.write(`${options.to}  sha256 ${Buffer.from(digest, 'base64').toString('hex')}\n`);
  });
}

async function archivedPublication(
  artifacts: Artifacts,
  reference: string | undefined,
  options: z.infer<typeof archiveOptions>,
): Promise<Publication> {
  if (options.token !== undefined) {
    const found = await artifacts.publications.find(options.tenant, options.token);
    if (found?.revokedAt === null) return found;
    throw new Error('There is no active publication of that token.');
  }
  const version = await findReference(artifacts, reference ?? '', options.tenant);
  return {
    id: version.id,
    version: version.version,
    publicationId: '',
    tenant: version.tenant,
    title: options.title ?? null,
    authors: options.author.map((name) => ({ name })),
    externalIds: [],
    publishedAt: version.createdAt,
    publishedBy: null,
    revokedAt: null,
  };
}

const inArchive: Links = {
  page: 'index.html',
  data: 'artifact',
  embed: 'index.html',
  badge: '',
  crate: 'ro-crate-metadata.json',
  archive: '',
  verify: 'manifest.json',
  oembed: '',
};
