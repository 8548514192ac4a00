// A publication as one file that explains itself: page, data, manifest, crate and a word to the reader.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Blob } from '../blobs/blobs.ts';
import { artifactUri } from '../types.ts';
import { crateOf, type Links, titleOf } from './crate.ts';
import { type Preview, publicationPage } from './page.ts';
import { claims, type Story, shownAs } from './story.ts';

/** The zip at `target`, complete when it resolves; gives its digest. The same publication gives the same bytes. */
export async function writeArchive(
  story: Story,
  links: Links,
  preview: Preview,
  blob: Blob,
  target: string,
): Promise<string> {
  const { ZipFile } = await import('yazl');
  const { publication, contentType } = story;
  const payload = `artifact.${shownAs(contentType)?.extension ?? 'bin'}`;
  const options = { mtime: new Date(publication.publishedAt * 1000), mode: 0o100644 };
  const zip = new ZipFile();
  const text = (name: string, content: string): void => zip.addBuffer(Buffer.from(content), name, options);
  text('index.html', publicationPage(story, { ...links, data: payload }, preview));
  text('ro-crate-metadata.json', `${JSON.stringify(crateOf(story, links, payload), null, 2)}\n`);
  text('manifest.json', `${JSON.stringify(manifestOf(story, payload), null, 2)}\n`);
  text('README.md', readme(story, links, payload));
  zip.addReadStream(await blob.read(), payload, { ...options, compress: contentType !== 'image/png' });
  zip.end();
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
      createWriteStream(part),
    );
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return hash.digest('base64');
}

const manifestOf = ({ publication, version, contentType, lineage }: Story, payload: string) => ({
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
  provenance_hash: version.provenanceHash,
  lineage,
  claims,
});

const readme = (story: Story, links: Links, payload: string): string => `# ${titleOf(story)}

- \`${payload}\` is the published data. Its SHA-256 is \`${story.version.contentSha256 ?? 'not recorded'}\`.
- \`index.html\` is the page, to be read in a browser without a network.
- \`manifest.json\` lists every recorded step that led to the data.
- \`ro-crate-metadata.json\` says the same for archives (RO-Crate 1.1).

Published at ${links.page}
`;
