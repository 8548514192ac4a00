// Where backups lie: one interface over a folder and three object stores. Objects lie there under their digests, manifests under
// names that hold theirs; whatever lies there is whole, and nothing is ever changed.

/** What an object holds. */
export interface Bytes {
  readonly sha256: string;
  readonly bytes: number;
}

export interface Watch {
  readonly signal: AbortSignal;
  onProgress(text: string): void;
}

export interface BackupPlace {
  /** As people name it. */
  readonly name: string;
  /** Names of whatever lies among the manifests. */
  manifests(): Promise<string[]>;
  readManifest(name: string): Promise<Buffer>;
  /** Undefined where there is no such object. */
  sizeOf(sha256: string): Promise<number | undefined>;
  read(sha256: string): AsyncIterable<Uint8Array>;
  /** Lends a file with the bytes of an object, checked before. */
  withFile<T>(bytes: Bytes, work: (file: string) => Promise<T>): Promise<T>;
  /** Refuses a place that holds anything else, or that lies in what is to be copied. */
  write<T>(copied: readonly string[], watch: Watch, work: (into: Additions) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** What one backup adds. */
export interface Additions {
  /** A name of a file that goes away with whatever is left over. */
  scratch(): string;
  has(bytes: Bytes): Promise<boolean>;
  /** Takes a finished file over. */
  adopt(bytes: Bytes, file: string): Promise<void>;
  /** Adds the manifest, all or nothing, after everything that was taken over is durable. */
  conclude(name: string, text: string): Promise<void>;
}

export class TargetUnusable extends Error {
  override readonly name = 'TargetUnusable';
}

export const objectName = (sha256: string): string => `objects/${sha256.slice(0, 2)}/${sha256}`;

/** Both are absolute paths, or both addresses. */
export function refuseInside(target: string, copied: readonly string[]): void {
  const inside = copied.find((place) => `${target}/`.startsWith(`${place}/`));
  if (inside !== undefined)
    throw new TargetUnusable(`${target} lies in ${inside}, which is to be copied; choose a place elsewhere.`);
}
