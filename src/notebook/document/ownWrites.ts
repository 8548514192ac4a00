// Which content this process last put under a watched path. File system events do not say who wrote; comparing content
// does. Only directories that someone watches are remembered.
import { hash } from 'node:crypto';
import path from 'node:path';

/** Null for a file that is not there. */
export type ContentHash = string | null;

const watched = new Map<string, Set<Map<string, ContentHash>>>();

export const contentHash = (content: string | Uint8Array): string => hash('sha256', content);

export function noteWrite(file: string, content: string | null): void {
  for (const [directory, ledgers] of watched) {
    const relative = path.relative(directory, file);
    if (relative.startsWith('..') || path.isAbsolute(relative)) continue;
    for (const ledger of ledgers) ledger.set(relative, content === null ? null : contentHash(content));
  }
}

/** Has writes below `directory` noted in `ledger`, by relative path, until the returned function is called. */
export function followWrites(directory: string, ledger: Map<string, ContentHash>): () => void {
  const ledgers = watched.get(directory) ?? new Set();
  watched.set(directory, ledgers.add(ledger));
  return () => {
    ledgers.delete(ledger);
    if (ledgers.size === 0) watched.delete(directory);
  };
}
