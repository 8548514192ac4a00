// What a notebook fetched, as part of a snapshot: `fetch/<sha256>/<file>`, and `fetch/index.json`, which says for each address
// what it last gave. Whoever opens the snapshot reads the same bytes without asking anybody.
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { refusals } from '../../errors/index.ts';
import { digestOfFile, intoFile, isPlainFile, readOwnJson } from '../../files/index.ts';
import { type FetchEntry, fetchFolder, fetchIndex } from '../outside/index.ts';
import type { Member } from './member.ts';
import type { OpenZip } from './readZip.ts';

const fileMember = /^fetch\/([0-9a-f]{64})\/[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const indexMember = 'fetch/index.json';

type FetchIndex = Readonly<Record<string, FetchEntry>>;

/** For each address what it last gave, as far as its bytes are here. */
export async function fetchedBy(directory: string): Promise<FetchIndex> {
  const folder = fetchFolder(directory);
  try {
    const all = fetchIndex.parse(await readOwnJson(path.join(folder, 'index.json')));
    return Object.fromEntries(
      Object.entries(all).filter(([, { sha256, filename }]) => isPlainFile(path.join(folder, sha256, filename))),
    );
  } catch {
    return {};
  }
}

export function fetchMembers(directory: string, index: FetchIndex): Member[] {
  const names = new Set(Object.values(index).map(({ sha256, filename }) => `${sha256}/${filename}`));
  if (names.size === 0) return [];
  const files = [...names].sort().map((name) => ({
    name: `fetch/${name}`,
    content: { file: path.join(fetchFolder(directory), name) },
  }));
  return [...files, { name: indexMember, content: { text: JSON.stringify(index) } }];
}

/** Takes them in; bytes that are not those of their name are somebody's mistake, or worse. */
export async function writeFetches(zip: OpenZip, directory: string, signal: AbortSignal | undefined): Promise<void> {
  const members = zip.names.flatMap((name) => {
    const digest = fileMember.exec(name)?.[1];
    return digest === undefined ? [] : [{ name, digest }];
  });
  if (members.length === 0 || !zip.has(indexMember)) return;
  const index = fetchIndex.safeParse(jsonOf(await zip.read(indexMember)));
  if (!index.success) throw refusals.snapshotInvalid(`its ${indexMember} is malformed`);
  const folder = fetchFolder(directory);
  for (const { name, digest } of members) {
    const file = path.join(folder, name.slice('fetch/'.length));
    await fs.mkdir(path.dirname(file), { recursive: true });
    await pipeline(await zip.stream(name), intoFile(file), signal ? { signal } : {});
    if ((await digestOfFile(file)) !== digest)
      throw refusals.snapshotInvalid(`the bytes of ${name} are not those of its name`);
    await fs.chmod(file, 0o444);
  }
  await fs.writeFile(path.join(folder, 'index.json'), JSON.stringify(index.data));
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
