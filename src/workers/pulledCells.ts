// Builds of cells that workers pull: what a worker may fetch, what it brings, and what it tells meanwhile. They live in this
// process for as long as somebody waits for them; each address that a worker was given is checked here.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Blob } from '../artifacts/index.ts';
import { refusals } from '../errors/index.ts';
import type { BuildManifestBody } from '../protocol/index.ts';
import type { ConsoleStream, RunResult } from '../runtimes/index.ts';
import { type OrderedConsole, orderedConsole } from './orderedConsole.ts';
import type { WireInput } from './pushBody.ts';
import type { Capability, Signer } from './signing.ts';

export interface PulledCell {
  readonly id: string;
  /** Who may ask for a new manifest by who they are. */
  readonly owner: BuildOwner;
  readonly folder: string;
  readonly inputs: ReadonlyMap<string, string>;
  readonly outputDirs: readonly string[];
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly onConsole: (stream: ConsoleStream, text: string) => void;
  /** Fetches what the worker brought to the object store; undefined when it brought nothing there. */
  readonly bring?: ((lease: string) => Promise<string | undefined>) | undefined;
  /** Reads the bundle into the run's folder; throws what is wrong with it. */
  readonly take: (file: string) => Promise<RunResult>;
  /** Addresses anew; those to upload and to finalize are good for this lease alone. */
  readonly readdress: (lease: string) => Promise<BuildManifestBody>;
}

export interface BuildOwner {
  readonly principal: string | null;
  readonly tenant: string;
}

export interface OpenPulledCell {
  /** Set once a worker has finalized it. */
  result(): RunResult | undefined;
  /** Tells what was held behind pieces of the console that never came. */
  tellHeld(): void;
  close(): void;
}

/** What the query of a signed address says, apart from its signature. */
export interface Signed {
  readonly capability: Capability;
  readonly signature: string;
}

export interface Finalized {
  readonly artifactUri: string;
  readonly byteSize: number;
  readonly rowCount: number;
}

/** What the signed addresses of a build do, whatever is built. Each checks the signature before anything else. */
export interface SignedTransport {
  download(signed: Signed): Promise<Blob>;
  upload(signed: Signed, body: AsyncIterable<Uint8Array>): Promise<number>;
  finalize(signed: Signed): Promise<Finalized>;
  /** Whether somebody sees it. */
  log(signed: Signed, stream: ConsoleStream, seq: number, text: string): Promise<boolean>;
  outputFile(signed: Signed, folder: string, name: string, body: AsyncIterable<Uint8Array>): Promise<number>;
}

export interface CellTransport extends SignedTransport {
  /** A new manifest while the cell runs: retires the addresses to upload and to finalize of those before. */
  renew(signed: Signed): Promise<BuildManifestBody>;
}

export interface PulledCells extends CellTransport {
  open(build: PulledCell): OpenPulledCell;
  holds(id: string): boolean;
  /** Undefined when it is not held here. */
  ownerOf(id: string): BuildOwner | undefined;
  /** The same for a caller whose identity is the credential. */
  renewBuild(id: string): Promise<BuildManifestBody>;
}

interface Entry {
  readonly build: PulledCell;
  /** Names the newest manifest; empty until the first one is renewed. */
  lease: string;
  /** What was brought last under the lease. */
  upload: string | undefined;
  readonly console: OrderedConsole;
  result: RunResult | undefined;
  /** Whoever asks for it again meanwhile gets the same answer. */
  finalizing: Promise<Finalized> | undefined;
}

export const inputKey = (artifactId: string, version: number): string => `${artifactId}@v=${version}`;

/** A name for the bytes of an input that is the same for the same bytes' place. */
export const inputArtifactId = (notebookId: string, { name, place }: WireInput): string =>
  `nb_remote_input_${notebookId}_${createHash('sha256').update(`\0local:${place}`).digest('hex').slice(0, 16)}_${name}`;

export function createPulledCells(signer: Signer): PulledCells {
  const builds = new Map<string, Entry>();

  function entryOf({ capability, signature }: Signed): Entry {
    if (!signer.isValid(capability, signature)) throw refusals.signatureInvalid();
    const entry = builds.get(capability.build_id);
    if (!entry) throw refusals.buildNotFound();
    return entry;
  }

  /** A build that is over, or was forgotten since, receives nothing. */
  function receiving({ capability, signature }: Signed): Entry {
    if (!signer.isValid(capability, signature)) throw refusals.signatureInvalid();
    const entry = builds.get(capability.build_id);
    if (!entry || entry.result || entry.finalizing) throw refusals.buildTakesNoFiles();
    return entry;
  }

  function building(signed: Signed): Entry {
    const entry = entryOf(signed);
    if (entry.result || entry.finalizing) throw refusals.buildNotOpen(entry.build.id);
    return entry;
  }

  /** Addresses of an earlier manifest are worth nothing once there is a newer one. */
  function checkLease({ lease }: Entry, named: string | number | undefined): void {
    if (String(named ?? '') !== lease) throw refusals.buildLeaseLost();
  }

  async function keep(entry: Entry, upload: string | undefined): Promise<void> {
    const before = entry.upload;
    entry.upload = upload;
    if (before !== undefined) await fs.rm(before, { force: true });
  }

  async function renewed(entry: Entry): Promise<BuildManifestBody> {
    const lease = randomBytes(16).toString('hex');
    const manifest = await entry.build.readdress(lease);
    if (entry.result || entry.finalizing) throw refusals.buildNotOpen(entry.build.id);
    entry.lease = lease;
    await keep(entry, undefined);
    return manifest;
  }

  async function finalizeNow(entry: Entry): Promise<Finalized> {
    const file = entry.upload ?? (await entry.build.bring?.(entry.lease));
    if (file === undefined) throw refusals.buildWithoutUpload(entry.build.id);
    entry.result = await entry.build.take(file);
    const artifactUri = `svc://artifact/nb_remote_${entry.build.id}@v=1`;
    return { artifactUri, byteSize: (await fs.stat(file)).size, rowCount: 0 };
  }

  return {
    holds: (id) => builds.has(id),
    ownerOf: (id) => builds.get(id)?.build.owner,
    renew: async (signed) => renewed(building(signed)),
    async renewBuild(id) {
      const entry = builds.get(id);
      if (!entry) throw refusals.buildNotFound();
      return renewed(entry);
    },
    open(build) {
      const entry: Entry = {
        build,
        lease: '',
        upload: undefined,
        console: orderedConsole(build.onConsole),
        result: undefined,
        finalizing: undefined,
      };
      builds.set(build.id, entry);
      return {
        result: () => entry.result,
        tellHeld: entry.console.tellHeld,
        close: () => void builds.delete(build.id),
      };
    },

    async download(signed) {
      const { build } = entryOf(signed);
      const { artifact_id, version } = signed.capability;
      const file = build.inputs.get(inputKey(String(artifact_id), Number(version)));
      if (file === undefined) throw refusals.buildNotFound();
      return { file, byteSize: (await fs.stat(file)).size, read: async () => createReadStream(file) };
    },

    async upload(signed, body) {
      const entry = building(signed);
      const { build } = entry;
      checkLease(entry, signed.capability.attempt);
      const file = path.join(build.folder, `.upload-${randomBytes(8).toString('hex')}.tar`);
      const size = await received(body, file, build.maxBytes);
      try {
        if (size === 0) throw refusals.bodyEmpty();
        // It may have been retired while the bytes came.
        checkLease(entry, signed.capability.attempt);
        building(signed);
        await keep(entry, file);
        return size;
      } catch (error) {
        await fs.rm(file, { force: true });
        throw error;
      }
    },

    async finalize(signed) {
      const entry = entryOf(signed);
      checkLease(entry, signed.capability.lease);
      if (entry.result) throw refusals.buildNotOpen(entry.build.id);
      entry.finalizing ??= finalizeNow(entry).finally(() => {
        entry.finalizing = undefined;
      });
      return entry.finalizing;
    },

    async log(signed, stream, seq, text) {
      const { console, result } = entryOf(signed);
      return !result && console.take(stream, seq, text);
    },

    async outputFile(signed, folder, name, body) {
      const { build } = receiving(signed);
      if (!/^[A-Za-z_]\w*$/.test(folder)) throw refusals.outputFileInvalid('the folder is not a name');
      const parts = name.split('/');
      if (/[\\\0]/.test(name) || parts.some((part) => part === '' || part === '.' || part === '..'))
        throw refusals.outputFileInvalid('the path is not a plain relative one');
      if (!build.outputDirs.includes(folder)) throw refusals.outputFileInvalid(`the cell declares no folder ${folder}`);
      const place = path.join(streamedFolder(build.folder), folder, ...parts);
      await fs.mkdir(path.dirname(place), { recursive: true });
      const temporary = `${place}.${randomBytes(8).toString('hex')}.part`;
      const size = await received(body, temporary, build.maxFileBytes);
      await fs.rename(temporary, place);
      return size;
    },
  };
}

/** Where files wait that came while the cell ran. */
export const streamedFolder = (folder: string): string => path.join(folder, '.streamed');

async function received(body: AsyncIterable<Uint8Array>, file: string, limit: number): Promise<number> {
  let size = 0;
  async function* counted(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      size += piece.length;
      if (size > limit) throw refusals.uploadTooLarge(limit);
      yield piece;
    }
  }
  // Opened before anything can go wrong: a stream that opens it later makes it after it was removed.
  const target = await fs.open(file, 'wx');
  try {
    await pipeline(body, counted, target.createWriteStream());
  } catch (error) {
    await fs.rm(file, { force: true });
    throw error;
  }
  return size;
}

export const bytesOf = (file: string): AsyncIterable<Uint8Array> => createReadStream(file);
