// Reads a zip that came from somebody else: names that lead out, links, members and totals beyond the limits are refused
// before anything is written.
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromFd, type ZipFile } from 'yauzl';
import { refusals } from '../../errors/index.ts';

export interface ZipLimits {
  /** All members together, as they say of themselves and as they turn out to be. */
  readonly totalBytes: number;
  /** A member that is read as a whole. */
  readonly memberBytes: number;
  /** All of the notebook's own texts together: they are in memory while it is open. */
  readonly textBytes: number;
  readonly isText: (name: string) => boolean;
  /** Which ones are, whether this reader wants them or not. */
  readonly isWhole: (name: string) => boolean;
  readonly members: number;
}

export interface OpenZip {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** For members that are held in memory. */
  read(name: string): Promise<Buffer>;
  stream(name: string): Promise<Readable>;
  close(): void;
}

export async function openZip(descriptor: number, limits: ZipLimits): Promise<OpenZip> {
  function checkWhole({ fileName, uncompressedSize }: Entry): void {
    if (uncompressedSize > limits.memberBytes)
      throw refusals.snapshotInvalid(`${fileName} is larger than ${limits.memberBytes} bytes`);
  }

  const zip = await opened(descriptor);
  const entries = new Map<string, Entry>();
  let [total, texts] = [0, 0];
  for await (const entry of eachEntry(zip)) {
    const { fileName: name } = entry;
    if (name.endsWith('/')) continue;
    if (isHostile(name))
      throw refusals.snapshotInvalid(`it holds a member that leads out of it: ${name.slice(0, 100)}`);
    if (isLink(entry)) throw refusals.snapshotInvalid(`${name} is a link`);
    if (entries.has(name)) throw refusals.snapshotInvalid(`${name} is in it twice`);
    entries.set(name, entry);
    total += entry.uncompressedSize;
    if (limits.isWhole(name)) checkWhole(entry);
    if (limits.isText(name)) texts += entry.uncompressedSize;
    if (texts > limits.textBytes)
      throw refusals.snapshotInvalid(`the texts in it are larger than ${limits.textBytes} bytes together`);
    if (entries.size > limits.members) throw refusals.snapshotInvalid(`it holds more than ${limits.members} members`);
    if (total > limits.totalBytes) throw refusals.snapshotInvalid(`it would grow beyond ${limits.totalBytes} bytes`);
  }

  function entryOf(name: string): Entry {
    const entry = entries.get(name);
    if (!entry) throw refusals.snapshotInvalid(`${name} is missing in it`);
    return entry;
  }

  /** The library checks that no member is longer than it says. */
  const stream = (name: string): Promise<Readable> =>
    new Promise((resolve, reject) => {
      zip.openReadStream(entryOf(name), (error, found) => (error ? reject(damaged(error)) : resolve(found)));
    });

  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    stream,
    async read(name) {
      checkWhole(entryOf(name));
      return buffer(await stream(name)).catch((error: unknown) => {
        throw damaged(error);
      });
    },
    close: () => zip.close(),
  };
}

const damaged = (error: unknown): Error =>
  refusals.snapshotInvalid(`it is damaged (${error instanceof Error ? error.message : String(error)})`);

function opened(descriptor: number): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromFd(descriptor, { lazyEntries: true, autoClose: false, strictFileNames: true }, (error, zip) =>
      error ? reject(refusals.notAZip()) : resolve(zip),
    );
  });
}

async function* eachEntry(zip: ZipFile): AsyncGenerator<Entry> {
  const waiting: PromiseWithResolvers<Entry | undefined>[] = [];
  const settle = (act: (one: PromiseWithResolvers<Entry | undefined>) => void): void => {
    const first = waiting.shift();
    if (first) act(first);
  };
  zip.on('entry', (entry: Entry) => settle((one) => one.resolve(entry)));
  zip.on('end', () => settle((one) => one.resolve(undefined)));
  zip.on('error', (error: unknown) => settle((one) => one.reject(damaged(error))));
  for (;;) {
    const next = Promise.withResolvers<Entry | undefined>();
    waiting.push(next);
    zip.readEntry();
    const entry = await next.promise;
    if (!entry) return;
    yield entry;
  }
}

const isHostile = (name: string): boolean =>
  name.startsWith('/') ||
  name.includes('\\') ||
  name.includes('\0') ||
  name.split('/').some((part) => part === '..' || part === '.');

/** The file type that unix puts into the upper half of the attributes. */
const isLink = ({ externalFileAttributes }: Entry): boolean =>
  ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;
