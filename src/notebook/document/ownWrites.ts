// Which content this process last put under a watched path. File system events do not say who wrote; comparing content
// does. Only directories that someone watches are remembered.
import { hash } from 'node:crypto';
import { type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../storage/index.ts';

/** Null for a file that is not there. */
export type ContentHash = string | null;

/** What a path holds as far as this process knows; while it is being replaced, either content may be found. */
export interface KnownContent {
  readonly content: ContentHash;
  readonly replacing?: ContentHash;
  /** Of the file that held it when it was looked at, or that was put there; undefined when nobody has looked. */
  readonly identity?: FileIdentity;
}

/** Which file lies under a path, and in which state: another one, or one that was written to since, has another. */
export type FileIdentity = string;

export type Ledger = Map<string, KnownContent>;

const followed = new Map<string, Set<Ledger>>();

export const contentHash = (content: string | Uint8Array): string => hash('sha256', content);

export const identityOf = ({ ino, size, mtimeMs }: Pick<Stats, 'ino' | 'size' | 'mtimeMs'>): FileIdentity =>
  `${ino} ${size} ${mtimeMs}`;

/** Of what lies there now, links followed; undefined when they lead to nothing. Right before a step that must not be cut in two. */
export function identityNow(file: string): FileIdentity | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found && identityOf(found);
  } catch (error) {
    if (errorCode(error) === 'ELOOP') return undefined;
    throw error;
  }
}

/** To be called right before a file is replaced or (with null) removed; what it returns, right after. */
export function noteWrite(file: string, written: string | null, identity?: FileIdentity): () => void {
  const content = written === null ? null : contentHash(written);
  const notes = foldersAbove(path.resolve(file)).flatMap((directory) =>
    [...(followed.get(directory) ?? [])].map((ledger) => ({ ledger, name: path.relative(directory, file) })),
  );
  for (const { ledger, name } of notes) ledger.set(name, { content, replacing: ledger.get(name)?.content ?? null });
  return () => {
    for (const { ledger, name } of notes)
      if (ledger.get(name)?.content === content)
        ledger.set(name, { content, ...(identity === undefined ? {} : { identity }) });
  };
}

/** However many folders are followed, only those on the way up are asked for. */
function foldersAbove(file: string): string[] {
  const above = [];
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    above.push(folder);
    if (folder === path.dirname(folder)) return above;
  }
}

/** Has writes below `folder` noted in `ledger`, by relative path, until the returned function is called. */
export function followWrites(folder: string, ledger: Ledger): () => void {
  const directory = path.resolve(folder);
  const ledgers = followed.get(directory) ?? new Set();
  followed.set(directory, ledgers.add(ledger));
  return () => {
    ledgers.delete(ledger);
    if (ledgers.size === 0) followed.delete(directory);
  };
}

export function isKnown(found: ContentHash, known: KnownContent | undefined): boolean {
  return found === (known?.content ?? null) || found === known?.replacing;
}
