// A publication as one file that explains itself: page, data, manifest, crate and a word to the reader.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { intoFile } from '../../files/index.ts';
import type { Blob } from '../blobs/blobs.ts';
import { artifactUri } from '../types.ts';
import { crateOf, type Links, titleOf } from './crate.ts';
import { type Preview, publicationPage } from './page.ts';
import { claims, type Story, shownAs } from './story.ts';

/** The rows of a table as Parquet, for readers who have no Arrow. */
export interface Companion {
  readonly file: string;
  readonly sha256: string;
}

export const companionName = 'artifact.parquet';

export interface Archived {
  readonly story: Story;
  readonly links: Links;
  readonly preview: Preview;
  readonly blob: Blob;
  /** Undefined for what is no table. */
  readonly companion: Companion | undefined;
}

type Member = { readonly name: string } & (
  | { readonly text: string }
  | { readonly read: () => Promise<Readable>; readonly isCompressed: boolean }
);

function membersOf({ story, links, preview, blob, companion }: Archived): Member[] {
  const payload = `artifact.${shownAs(story.contentType)?.extension ?? 'bin'}`;
  const parquet = companion && {
    name: companionName,
    read: async () => createReadStream(companion.file),
    isCompressed: true,
  };
  return [
    { name: 'index.html', text: publicationPage(story, { ...links, data: payload }, preview) },
    { name: 'ro-crate-metadata.json', text: jsonText(crateOf(story, links, payload)) },
    { name: 'manifest.json', text: jsonText(manifestOf(story, payload, companion)) },
    { name: 'README.md', text: readme(story, links, payload, companion) },
    { name: payload, read: blob.read, isCompressed: story.contentType === 'image/png' },
    ...(parquet ? [parquet] : []),
  ];
}

const jsonText = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** The zip at `target`, complete when it resolves; gives its digest. The same publication gives the same bytes. */
export async function writeArchive(archived: Archived, target: string): Promise<string> {
  const { ZipFile } = await import('yazl');
  const options = { mtime: new Date(archived.story.publication.publishedAt * 1000), mode: 0o100644 };
  const zip = new ZipFile();
  for (const member of membersOf(archived)) {
    if ('text' in member) zip.addBuffer(Buffer.from(member.text), member.name, options);
    else zip.addReadStream(await member.read(), member.name, { ...options, compress: !member.isCompressed });
  }
  zip.end();
  // A read that breaks off ends the archive, and nothing else.
  const broken = new AbortController();
  zip.on('error', (error) => broken.abort(error));
  const hash = createHash('sha256');
  const part = `${target}.part`;
  try {
    await pipeline(
      zip.outputStream,
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          hash.update(piece);
          yield piece;
        }
      },
      intoFile(part),
      { signal: broken.signal },
    );
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return hash.digest('base64');
}

/** The same files in a folder. */
export async function writeArchiveFolder(archived: Archived, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const member of membersOf(archived)) {
    const place = path.join(folder, member.name);
    if ('text' in member) await writeFile(place, member.text);
    else await pipeline(await member.read(), intoFile(place));
  }
}

const manifestOf = (
  { publication, version, contentType, lineage }: Story,
  payload: string,
  companion: Companion | undefined,
) => ({
  artifact_uri: artifactUri(version),
  title: publication.title,
  authors: publication.authors,
  external_ids: publication.externalIds,
  published_at: publication.publishedAt,
  file: payload,
  content_type: contentType,
  content_sha256: version.contentSha256,
  byte_size: version.byteSize,
  row_count: version.rowCount,
  companion: companion ? { file: companionName, sha256: companion.sha256 } : null,
  provenance_hash: version.provenanceHash,
  lineage,
  claims,
});

const readme = (
  story: Story,
  links: Links,
  payload: string,
  companion: Companion | undefined,
): string => `# ${titleOf(story)}

- \`${payload}\` is the published data. Its SHA-256 is \`${story.version.contentSha256 ?? 'not recorded'}\`.${companion ? `\n- \`${companionName}\` holds the same rows as Parquet. Its SHA-256 is \`${companion.sha256}\`.` : ''}
- \`index.html\` is the page, to be read in a browser without a network.
- \`manifest.json\` lists every recorded step that led to the data.
- \`ro-crate-metadata.json\` says the same for archives (RO-Crate 1.1).

Published at ${links.page}
`;
