// One stored value: an artifact id names what it is of, versions count its values over time.

export const artifactStates = ['building', 'ready', 'superseded', 'failed'] as const;
export type ArtifactState = (typeof artifactStates)[number];

export interface ArtifactAddress {
  readonly id: string;
  readonly version: number;
}

/** What is known about how a version came about; the rest follows when its bytes are there. */
export interface Origin {
  readonly provenanceHash: string;
  /** How it came about: executor, inputs and parameters, as canonical JSON. */
  readonly transformSpec: string | null;
  /** What it was made from, as JSON `{uri: version}`; an artifact's version is written `<id>@v=<n>`. */
  readonly inputVersions: string | null;
  readonly tenant: string;
  readonly principal: string | null;
}

/** What is known about the bytes of a version. */
export interface Content {
  readonly byteSize: number | null;
  readonly rowCount: number | null;
  readonly contentSha256: string | null;
  /** The Arrow schema in words; null or empty for what is no table. */
  readonly schema: string | null;
}

export interface ArtifactVersion extends ArtifactAddress, Origin, Content {
  readonly state: ArtifactState;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** The id was made up here and nobody chose it: its newest version may be collected too. */
  readonly minted: boolean;
  /** Whose bytes it shares, when another version came to the same result first. */
  readonly canonical: ArtifactAddress | null;
  /** Where its own bytes lie; null for the name that follows from its address. */
  readonly blobName: string | null;
}

/** A value that a run has written to a file and that is to become an artifact. */
export interface NewArtifact {
  readonly id: string;
  readonly provenanceHash: string;
  /** Moved into the store; must lie on the same file system. */
  readonly file: string;
  readonly byteSize: number;
  readonly rowCount: number | null;
  readonly contentSha256: string;
  readonly transformSpec: string;
  readonly inputVersions: string;
}

export const shortAddress = ({ id, version }: ArtifactAddress): string => `${id}@v=${version}`;

/** Ids may hold `@` themselves, so the last `@v=` separates. */
export function parseAddress(text: string): ArtifactAddress | undefined {
  const match = /^(.+)@v=(\d{1,15})$/s.exec(text);
  return match?.[1] === undefined ? undefined : { id: match[1], version: Number(match[2]) };
}

const scheme = 'svc://artifact/';

export const artifactUri = (address: ArtifactAddress): string => `${scheme}${shortAddress(address)}`;

export const parseArtifactUri = (uri: string): ArtifactAddress | undefined =>
  uri.startsWith(scheme) ? parseAddress(uri.slice(scheme.length)) : undefined;

export const nameUri = (name: string): string => `svc://name/${name}`;

export const seconds = (): number => Date.now() / 1000;
