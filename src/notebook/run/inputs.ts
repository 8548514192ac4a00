// Stored values as the files that a process reads them from.
import { type ArtifactStore, parseArtifactUri } from '../../artifacts/index.ts';
import { isPlainFile } from '../../files/index.ts';
import type { InputFile, KnownFile } from '../../runtimes/index.ts';
import type { StoredValue } from '../state/index.ts';

/** Names of values whose stored bytes are gone: somebody tidied up where the store lies. */
export function lostValues(store: ArtifactStore, values: Iterable<readonly [string, StoredValue]>): string[] {
  return [...values].flatMap(([name, { uri, sweep }]) => {
    if (sweep) return lostValues(store, Object.entries(sweep.variants)).length === 0 ? [] : [name];
    const address = parseArtifactUri(uri);
    return address && isPlainFile(store.blobPath(address)) ? [] : [name];
  });
}

/** Of tables and arrays, which may be large. Of other types the digest says more than the bytes do. */
export function knownFiles(
  store: ArtifactStore,
  values: Readonly<Record<string, StoredValue>>,
): Record<string, KnownFile> {
  const files: Record<string, KnownFile> = {};
  for (const [name, { uri, contentType, sha256 }] of Object.entries(values)) {
    const address = contentType === 'arrow/ipc' ? parseArtifactUri(uri) : undefined;
    if (address) files[name] = { file: store.blobPath(address), sha256 };
  }
  return files;
}

export function inputFiles(
  store: ArtifactStore,
  values: ReadonlyMap<string, StoredValue> | readonly (readonly [string, StoredValue])[],
): Record<string, InputFile> {
  const files: Record<string, InputFile> = {};
  for (const [name, { uri, contentType, lent, sweep }] of values) {
    if (sweep) {
      files[name] = { contentType, file: '', variants: inputFiles(store, Object.entries(sweep.variants)) };
      continue;
    }
    const address = parseArtifactUri(uri);
    if (!address) continue;
    const file = { contentType, file: store.blobPath(address) };
    // What is lent may be code that was lent something itself.
    files[name] = lent ? { ...file, injected: inputFiles(store, Object.entries(lent)) } : file;
  }
  return files;
}
