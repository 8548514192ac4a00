// One stored value: an artifact id names what it is of, versions count its values over time.

export type ArtifactState = 'building' | 'ready' | 'superseded' | 'failed';

export interface ArtifactVersion {
  readonly id: string;
  readonly version: number;
  readonly state: ArtifactState;
  readonly provenanceHash: string;
  readonly byteSize: number | null;
  readonly rowCount: number | null;
  readonly createdAt: number;
  readonly contentSha256: string | null;
  /** How it came about: executor and parameters, as canonical JSON. */
  readonly transformSpec: string | null;
  /** The artifacts it was made from, as JSON `{uri: "<id>@v=<n>"}`. */
  readonly inputVersions: string | null;
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

export interface ArtifactAddress {
  readonly id: string;
  readonly version: number;
}

export const artifactUri = ({ id, version }: ArtifactAddress): string => `svc://artifact/${id}@v=${version}`;

/** Ids may hold `@` themselves, so the last `@v=` separates. */
export function parseArtifactUri(uri: string): ArtifactAddress | undefined {
  const match = /^svc:\/\/artifact\/(.+)@v=(\d+)$/s.exec(uri);
  return match?.[1] === undefined ? undefined : { id: match[1], version: Number(match[2]) };
}
