// Takes a bundle apart into a run's folder, as it arrives. Nothing of it is believed: names stay inside, links are refused,
// sizes are counted and digests made here. A bundle that is wrong anywhere fails whole; the caller drops the folder.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { parseExactly, type ValueRecord } from '../runtimes/index.ts';
import { type BundleManifest, manifestSchema } from './manifest.ts';
import { isUnplaceable, readTar, TarInvalid, type TarMember } from './tar.ts';

export class BundleInvalid extends Error {
  override name = 'BundleInvalid';
}

export interface BundleLimits {
  /** Of the manifest and of each value; files of output folders are only counted in all. */
  readonly maxMemberBytes: number;
  readonly maxBytes: number;
}

export interface Bundle {
  readonly manifest: BundleManifest;
  readonly variables: Readonly<Record<string, ValueRecord>>;
  readonly described: Readonly<Record<string, ValueRecord>>;
  readonly displays: readonly ValueRecord[];
  readonly stdout: string;
  readonly stderr: string;
}

interface Taken {
  readonly size: number;
  readonly sha256: string;
}

const maxMembers = 100_000;
/** The manifest and the console are read whole. */
const maxTextBytes = 64 * 1024 * 1024;

/** Values come to lie in `folder` itself, the files of output folders under `output_dirs` there. */
export async function readBundle(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  limits: BundleLimits,
): Promise<Bundle> {
  const taken = new Map<string, Taken>();
  let [count, total] = [0, 0];
  try {
    for await (const member of readTar(source)) {
      if (member.kind === 'other') throw new BundleInvalid(`${shown(member.name)} is a link or a device`);
      if (taken.has(member.name)) throw new BundleInvalid(`${shown(member.name)} is in it twice`);
      count += 1;
      if (count > maxMembers) throw new BundleInvalid(`it has more than ${maxMembers} members`);
      total += member.size;
      if (total > limits.maxBytes) throw new BundleInvalid(`it is larger than ${limits.maxBytes} bytes`);
      if (member.kind === 'file') taken.set(member.name, await takeMember(member, folder, limits));
    }
    return await assembled(folder, taken);
  } catch (error) {
    if (error instanceof TarInvalid) throw new BundleInvalid(error.message);
    throw error;
  }
}

const shown = (name: string): string => `'${name.slice(0, 200)}'`;

async function takeMember(member: TarMember, folder: string, { maxMemberBytes }: BundleLimits): Promise<Taken> {
  const { name, size } = member;
  const place = placeOf(name, folder);
  if (!name.startsWith('dirs/') && size > maxMemberBytes)
    throw new BundleInvalid(
      `${shown(name)} has ${size} bytes; at most ${maxMemberBytes} are taken (SVC_NOTEBOOK_MAX_BUNDLE_MEMBER_BYTES)`,
    );
  if (!name.includes('/') && size > maxTextBytes)
    throw new BundleInvalid(`${shown(name)} has ${size} bytes; at most ${maxTextBytes} are taken`);
  const refuse = (error: unknown): never => {
    throw isUnplaceable(error) ? new BundleInvalid(`${shown(name)} cannot be written here (${error.code})`) : error;
  };
  await fs.mkdir(path.dirname(place), { recursive: true }).catch(refuse);
  const hash = createHash('sha256');
  const handle = await fs.open(place, 'wx').catch(refuse);
  try {
    for await (const piece of member.body) {
      hash.update(piece);
      await handle.writeFile(piece);
    }
  } finally {
    await handle.close();
  }
  return { size, sha256: hash.digest('hex') };
}

/** Where a member comes to lie; a name that could lead elsewhere is refused. */
function placeOf(name: string, folder: string): string {
  const parts = name.split('/');
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..') && !/[\\\0]/.test(name);
  if (!isPlain) throw new BundleInvalid(`${shown(name)} is not a plain relative name`);
  const [top = '', second = ''] = parts;
  if (parts.length === 1) return path.join(folder, `.bundle-${name}`);
  if (top === 'files' && parts.length === 2) return path.join(folder, second);
  if (top === 'dirs' && parts.length > 2) return path.join(folder, 'output_dirs', ...parts.slice(1));
  throw new BundleInvalid(`${shown(name)} has no place in a bundle`);
}

async function assembled(folder: string, taken: ReadonlyMap<string, Taken>): Promise<Bundle> {
  const text = async (name: string): Promise<string> => {
    if (!taken.has(name) || name.includes('/')) throw new BundleInvalid(`${shown(name)} is missing`);
    const bytes = await fs.readFile(path.join(folder, `.bundle-${name}`));
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new BundleInvalid(`${shown(name)} is not UTF-8`);
    }
  };
  const manifest = parsedManifest(await text('manifest.json'));
  checkFolders(manifest, taken);
  const one = (record: ValueRecord): ValueRecord => {
    if (record.file === undefined) return record;
    const found = taken.get(record.file);
    if (!found) throw new BundleInvalid(`${shown(record.file)} is missing`);
    return { ...record, file: record.file.slice('files/'.length), bytes: found.size, sha256: found.sha256 };
  };
  const all = (records: Readonly<Record<string, ValueRecord>>): Record<string, ValueRecord> =>
    Object.fromEntries(
      Object.entries(records)
        .filter(([name]) => name !== '_')
        .map(([name, record]) => [name, one(record)]),
    );
  return {
    manifest,
    variables: all(manifest.variables),
    described: all(manifest.described),
    displays: manifest.displays.map(one),
    stdout: await text(manifest.stdout_file),
    stderr: await text(manifest.stderr_file),
  };
}

function parsedManifest(text: string): BundleManifest {
  try {
    return manifestSchema.parse(parseExactly(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON';
    throw new BundleInvalid(`its manifest is not one of a bundle: ${reason}`);
  }
}

/** What the index names is there in its size, and nothing else is. */
function checkFolders({ output_dirs: index }: BundleManifest, taken: Iterable<readonly [string, Taken]>): void {
  const missing = new Map<string, number>();
  for (const [folder, files] of Object.entries(index))
    for (const [file, size] of Object.entries(files)) missing.set(`dirs/${folder}/${file}`, size);
  for (const [name, { size }] of taken) {
    if (!name.startsWith('dirs/')) continue;
    if (missing.get(name) !== size) throw new BundleInvalid(`${shown(name)} is not as its index says`);
    missing.delete(name);
  }
  const [first] = missing.keys();
  if (first !== undefined) throw new BundleInvalid(`${shown(first)} is missing`);
}
