// What a publication tells: the version, how it came about, and what can be said for it. Pages, crates and archives are
// different tellings of this one value.
import { type Lineage, lineageOf } from '../lineage.ts';
import type { StoreParts } from '../parts.ts';
import { findVersion } from '../rows.ts';
import { contentTypeOf, transformOf } from '../transform.ts';
import type { ArtifactAddress, ArtifactVersion } from '../types.ts';
import type { Publication } from './publications.ts';

/** How far back public pages go; the bytes of what came before are never served. */
const publicDepth = 25;

export interface Story {
  readonly publication: Publication;
  readonly version: ArtifactVersion;
  readonly contentType: string;
  /** The source of the step that made it, where it was recorded. */
  readonly source: string;
  readonly lineage: Lineage;
}

/** Undefined when the version is gone. */
export async function tellStory(
  parts: StoreParts,
  publication: Publication,
  depth = publicDepth,
): Promise<Story | undefined> {
  const version = await findVersion(parts.database, publication);
  if (!version) return undefined;
  const { params } = transformOf(version.transformSpec);
  // Steps of other tenants are named and nothing more.
  const source = { get: (address: ArtifactAddress) => findVersion(parts.database, address) };
  const lineage = await lineageOf(source, version, depth, ({ tenant }) => tenant === '' || tenant === version.tenant);
  return {
    publication,
    version,
    contentType: contentTypeOf(version),
    source: typeof params.source === 'string' ? params.source : '',
    lineage,
  };
}

interface Shown {
  readonly mediaType: string;
  readonly extension: string;
}

const shownTypes: Readonly<Record<string, Shown>> = {
  'image/png': { mediaType: 'image/png', extension: 'png' },
  'arrow/ipc': { mediaType: 'application/vnd.apache.arrow.stream', extension: 'arrow' },
  'json/object': { mediaType: 'application/json', extension: 'json' },
  'text/markdown': { mediaType: 'text/markdown; charset=utf-8', extension: 'md' },
};

/** The types that a browser may be told; undefined goes out as plain bytes to be saved. */
export const shownAs = (contentType: string): Shown | undefined => shownTypes[contentType];

export const claims = {
  transparency: 'Every recorded step that led to this result is listed, with the source of each step that recorded it.',
  integrity: 'The bytes served here can be compared with the digest that was recorded when they were stored.',
  reproduction:
    'Nobody has repeated the computation for this page: that the steps give the same result again is not claimed.',
};
