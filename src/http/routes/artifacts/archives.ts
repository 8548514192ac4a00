// Archives of publications, each written once to the cache and sent from there. Another credit or another address makes
// another archive, and the one before goes.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Blob, type Links, previewOf, type Story, writeArchive } from '../../../artifacts/index.ts';
import type { CompanionOf } from './companions.ts';

interface Archive {
  readonly blob: Blob;
  /** SHA-256 in base64. */
  readonly digest: string;
}

export interface Archives {
  of(story: Story, links: Links, blob: Blob): Promise<Archive>;
}

export function createArchives(cacheDir: string, companionOf: CompanionOf): Archives {
  const folder = path.join(cacheDir, 'publications');
  const written = new Map<string, Promise<Archive>>();

  async function write(name: string, ...[story, links, blob]: Parameters<Archives['of']>): Promise<Archive> {
    await mkdir(folder, { recursive: true });
    const { publicationId } = story.publication;
    for (const old of await readdir(folder))
      if (old.startsWith(publicationId) && old.endsWith('.zip')) await rm(path.join(folder, old), { force: true });
    const file = path.join(folder, name);
    const [preview, companion] = await Promise.all([previewOf(story, blob), companionOf(story, blob)]);
    const digest = await writeArchive({ story, links, preview, blob, companion }, file);
    const { size } = await stat(file);
    return { digest, blob: { byteSize: size, file, read: async () => createReadStream(file) } };
  }

  return {
    async of(story, links, blob) {
      const { publicationId, authors, externalIds } = story.publication;
      const facts = JSON.stringify([links.page, authors, externalIds]);
      const name = `${publicationId}-${createHash('sha256').update(facts).digest('hex').slice(0, 16)}.zip`;
      const known = await written.get(name);
      if (known?.blob.file !== undefined && (await stat(known.blob.file).catch(() => undefined))) return known;
      const fresh = write(name, story, links, blob);
      written.set(name, fresh);
      fresh.catch(() => written.delete(name));
      return fresh;
    },
  };
}
