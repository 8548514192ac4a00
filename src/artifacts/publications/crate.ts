// A publication as an RO-Crate: the same facts in the words that archives and search engines read.
import { artifactUri } from '../types.ts';
import { type Story, shownAs } from './story.ts';

export interface Links {
  /** The public page. */
  readonly page: string;
  readonly data: string;
  readonly embed: string;
  readonly badge: string;
  readonly crate: string;
  readonly archive: string;
  readonly verify: string;
  readonly oembed: string;
}

const day = (seconds: number): string => new Date(seconds * 1000).toISOString();

const identifiers: Readonly<Record<string, string>> = {
  doi: 'https://doi.org/',
  zenodo: 'https://zenodo.org/records/',
  arxiv: 'https://arxiv.org/abs/',
  url: '',
};

export const externalUrl = ({ scheme, value }: { scheme: string; value: string }): string => {
  const url = `${identifiers[scheme] ?? ''}${value}`;
  return /^https?:\/\//i.test(url) ? url : '';
};

export const titleOf = ({ publication, version }: Story): string => publication.title ?? version.id;

/** `fileId`: where the crate's payload is; an address on the web, or a file beside the crate. */
export function crateOf(story: Story, links: Links, fileId = links.data) {
  const { publication, version, contentType, lineage } = story;
  const authors = publication.authors.map(({ name, orcid, affiliation }, index) => ({
    '@id': orcid ? `https://orcid.org/${orcid}` : `#author-${index + 1}`,
    '@type': 'Person',
    name,
    ...(affiliation ? { affiliation } : {}),
  }));
  const sources = lineage.nodes.filter(({ uri }) => uri !== lineage.artifact_uri);
  return {
    '@context': 'https://w3id.org/ro/crate/1.1/context',
    '@graph': [
      {
        '@id': 'ro-crate-metadata.json',
        '@type': 'CreativeWork',
        conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
        about: { '@id': './' },
      },
      {
        '@id': './',
        '@type': 'Dataset',
        name: titleOf(story),
        description: `The artifact ${version.id}, version ${version.version}, with how it came about`,
        url: links.page,
        datePublished: day(publication.publishedAt),
        license: { '@id': '#unspecified' },
        author: authors.map((author) => ({ '@id': author['@id'] })),
        identifier: publication.externalIds.map(({ scheme, value }) => `${scheme}:${value}`),
        hasPart: [{ '@id': fileId }],
        mentions: [{ '@id': '#creation' }],
      },
      { '@id': '#unspecified', '@type': 'CreativeWork', name: 'No licence was stated' },
      {
        '@id': fileId,
        '@type': 'File',
        name: artifactUri(version),
        encodingFormat: shownAs(contentType)?.mediaType ?? 'application/octet-stream',
        contentSize: String(version.byteSize ?? ''),
        sha256: version.contentSha256,
        dateCreated: day(version.createdAt),
      },
      {
        '@id': '#creation',
        '@type': 'CreateAction',
        name: lineage.nodes[0]?.transform_ref ?? 'unrecorded',
        endTime: day(version.createdAt),
        object: sources.map(({ uri }) => ({ '@id': uri })),
        result: [{ '@id': fileId }],
      },
      ...sources.map(({ uri, type, transform_ref, content_sha256 }) => ({
        '@id': uri,
        '@type': type === 'table' ? 'Dataset' : 'CreativeWork',
        name: uri,
        ...(transform_ref === null ? {} : { description: `made by ${transform_ref}` }),
        ...(content_sha256 === null ? {} : { sha256: content_sha256 }),
      })),
      ...authors,
    ],
  };
}
