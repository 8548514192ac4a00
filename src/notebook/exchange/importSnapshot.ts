// A snapshot becomes a notebook: built in a folder that nobody sees and renamed when it is whole. An id that is in use is
// replaced, in the file and in everything that was stored under it.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { artifactUri, type NewArtifact, openArtifactStore, parseArtifactUri } from '../../artifacts/index.ts';
import { refusals } from '../../errors/index.ts';
import { digestOfFile, intoFile, syncFolder } from '../../files/index.ts';
import { isNestedBeyond } from '../../nesting.ts';
import { maxSourceCharacters, type SnapshotReport } from '../../protocol/index.ts';
import { readNotebook } from '../document/index.ts';
import { createResults, type KeptResult } from '../run/index.ts';
import type { CellFailure } from '../state/index.ts';
import { formatVersion } from './bundle.ts';
import { writeFetches } from './fetches.ts';
import { takeId } from './newIds.ts';
import { type OpenZip, openZip } from './readZip.ts';
import { type ArtifactRecord, type Manifest, manifestSchema } from './snapshotManifest.ts';

/** Files of the notebook itself. */
const committed =
  /^(?:\.gitignore|notebook\.toml|pyproject\.toml|uv\.lock|renv\.lock|README\.md|jupyter\.json|cells\/[^/]+)$/;
const described = /^(?:artifacts\.json|provenance\.json|outputs\/[^/]+\/console\.json|fetch\/index\.json)$/;

const limits = {
  totalBytes: 16 * 1024 ** 3,
  memberBytes: 16 * 1024 ** 2,
  textBytes: 64 * 1024 ** 2,
  isText: (name: string) => committed.test(name),
  members: 200_000,
  isWhole: (name: string) => committed.test(name) || described.test(name),
};

export interface SnapshotTarget {
  /** Where the notebook will lie; nothing is there yet. */
  readonly directory: string;
  /** Undefined keeps the name of the bundle. */
  readonly name: string | undefined;
  /** Below it no two notebooks have the same id. */
  readonly root: string;
  /** Whether packages may come from where this lock says; one that is left out is made anew. Any is taken by default. */
  readonly takesLock?: (text: string) => Promise<boolean>;
  /** Ends the import; nothing is left behind. */
  readonly signal?: AbortSignal;
}

export async function importSnapshot(file: string, target: SnapshotTarget): Promise<SnapshotReport> {
  const handle = await fs.open(file, 'r');
  const staging = path.join(path.dirname(target.directory), `.${path.basename(target.directory)}.${randomUUID()}`);
  let release = (): void => {};
  try {
    const zip = await openZip(handle.fd, limits);
    const manifest = await readManifest(zip);
    const taken = await takeId(target.root, manifest.notebook_id);
    release = taken.release;
    const id = taken.isFree ? manifest.notebook_id : randomUUID();
    await fs.mkdir(path.join(staging, 'cells'), { recursive: true });
    await writeCommitted(zip, staging, { ...target, from: manifest.notebook_id, to: id });
    const imported = await writeResults(zip, staging, manifest, id, target.signal);
    await writeFetches(zip, staging, target.signal);
    await writeNotes(staging, manifest);
    await checkCells(zip, staging);
    await syncFolder(staging);
    target.signal?.throwIfAborted();
    await fs.rename(staging, target.directory);
    await syncFolder(path.dirname(target.directory));
    return {
      imported_artifacts: imported,
      replaced_notebook_id: id === manifest.notebook_id ? null : manifest.notebook_id,
      by_reference_cells: byReference(manifest),
    };
  } catch (error) {
    await fs.rm(staging, { recursive: true, force: true });
    throw error;
  } finally {
    release();
    await handle.close();
  }
}

/** Cells of which something is stored that the snapshot names and does not hold. */
function byReference({ artifacts, carried }: Manifest): string[] {
  const held = new Set(carried);
  const isHeld = (one: { artifact_id: string; version: number }): boolean =>
    held.has(`${one.artifact_id}@v=${one.version}`);
  return Object.entries(artifacts)
    .filter(([, stored]) => !stored.every(isHeld))
    .map(([cell]) => cell)
    .sort();
}

async function readManifest(zip: OpenZip): Promise<Manifest> {
  if (!zip.has('artifacts.json')) throw refusals.snapshotInvalid('it has no artifacts.json; export it as a snapshot');
  if (!zip.has('notebook.toml')) throw refusals.snapshotInvalid('it has no notebook.toml');
  const parsed = manifestSchema.safeParse(jsonOf(await zip.read('artifacts.json')));
  if (!parsed.success) throw refusals.snapshotInvalid('its artifacts.json is malformed');
  const { format_version: format } = parsed.data;
  if (format < formatVersion)
    throw refusals.snapshotInvalid(
      `it is format ${format}, which does not carry the artifact records an import needs; export it again`,
    );
  if (format > formatVersion)
    throw refusals.snapshotInvalid(`it is format ${format}, newer than this server; update the server`);
  for (const address of parsed.data.carried) {
    if (!Object.hasOwn(parsed.data.records, address)) throw refusals.snapshotInvalid(`${address} has no record`);
    if (!zip.has(`artifacts/${address}`)) throw refusals.snapshotInvalid(`the bytes of ${address} are missing`);
  }
  return parsed.data;
}

/** Results hold values within values, but not without end. */
const deepest = 500;

function jsonOf(bytes: Buffer): unknown {
  try {
    const text = bytes.toString('utf8');
    return isNestedBeyond(text, deepest) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function writeCommitted(
  zip: OpenZip,
  folder: string,
  {
    from,
    to,
    name,
    takesLock = async () => true,
  }: Pick<SnapshotTarget, 'name' | 'takesLock'> & { readonly from: string; readonly to: string },
): Promise<void> {
  for (const member of zip.names.filter((one) => committed.test(one))) {
    const bytes = await zip.read(member);
    if (member === 'uv.lock' && !(await takesLock(bytes.toString('utf8')))) continue;
    const content = member === 'notebook.toml' ? renamed(bytes.toString('utf8'), from, to, name) : bytes;
    await fs.writeFile(path.join(folder, member), content);
  }
}

/** A notebook that could not be opened is none, and a cell without its text is lost. */
async function checkCells(zip: OpenZip, folder: string): Promise<void> {
  const { cells } = await readNotebook(folder);
  const lost = cells.find(({ file }) => !zip.has(`cells/${file}`));
  if (lost) throw refusals.snapshotInvalid(`the cell ${lost.id} has no text: cells/${lost.file} is missing`);
  const long = cells.find(({ source }) => source.length > maxSourceCharacters);
  if (long) throw refusals.snapshotInvalid(`the cell ${long.id} is longer than ${maxSourceCharacters} characters`);
}

/** Only the two lines that say who it is; everything else stays as it was written. */
function renamed(text: string, from: string, to: string, name: string | undefined): string {
  const withId = text.replace(/^([ \t]*notebook_id[ \t]*=[ \t]*).*$/m, (line, head) =>
    line.includes(from) ? `${head}"${to}"` : line,
  );
  return name === undefined
    ? withId
    : withId.replace(/^([ \t]*name[ \t]*=[ \t]*).*$/m, (_line, head) => `${head}${JSON.stringify(name)}`);
}

/** Stores what is carried as versions of its own, and the results with the addresses that these got. */
async function writeResults(
  zip: OpenZip,
  folder: string,
  manifest: Manifest,
  id: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const store = await openArtifactStore(path.join(folder, '.svc/artifacts'));
  try {
    const results = createResults(store);
    const places = new Map<string, string>();
    const own = (text: string): string => text.replaceAll(`nb_${manifest.notebook_id}_`, `nb_${id}_`);
    const inbox = path.join(folder, '.svc/import');
    await fs.mkdir(inbox, { recursive: true });
    const inOrder = [...manifest.carried].sort(
      (a, b) => (manifest.records[a]?.version ?? 0) - (manifest.records[b]?.version ?? 0),
    );
    for (const address of inOrder) {
      const record = manifest.records[address];
      if (!record) continue;
      const bytes = path.join(inbox, randomUUID());
      await pipeline(await zip.stream(`artifacts/${address}`), intoFile(bytes), signal ? { signal } : {});
      // A result is found by what its bytes are said to be.
      const digest = await digestOfFile(bytes);
      if (record.content_sha256 && record.content_sha256 !== digest)
        throw refusals.snapshotInvalid(`the bytes of ${address} are not those of its record`);
      const [stored] = await store.store([newArtifact({ ...record, content_sha256: digest }, bytes, own, places)]);
      if (stored) places.set(`svc://artifact/${address}`, artifactUri(stored));
    }
    for (const [cellId, list] of Object.entries(manifest.results)) {
      const shown = manifest.cells[cellId]?.provenance_hash;
      // The one that the cell showed is the newest here.
      const ordered = list.toSorted((a, b) => Number(a.key === shown) - Number(b.key === shown));
      for (const result of ordered) await results.keep(cellId, [], () => moved(result, places));
    }
    for (const [cellId, failure] of await failuresIn(zip, manifest)) await results.keepFailure(cellId, failure);
    await fs.rm(inbox, { recursive: true, force: true });
    return places.size;
  } finally {
    await store.close();
  }
}

/** Cells that failed, with their text and what they had printed. */
async function failuresIn(zip: OpenZip, { cells }: Manifest): Promise<[string, CellFailure][]> {
  const failures: [string, CellFailure][] = [];
  for (const [id, { status, error, error_source_hash: sourceDigest }] of Object.entries(cells)) {
    if (status !== 'error' || error === null || sourceDigest === null) continue;
    const member = `outputs/${id}/console.json`;
    const printed = consoleSchema.safeParse(zip.has(member) ? jsonOf(await zip.read(member)) : {});
    failures.push([id, { text: error, sourceDigest, ...(printed.data ?? { stdout: '', stderr: '' }) }]);
  }
  return failures;
}

const consoleSchema = z.object({ stdout: z.string().default(''), stderr: z.string().default('') });

function newArtifact(
  record: ArtifactRecord,
  file: string,
  own: (text: string) => string,
  places: ReadonlyMap<string, string>,
): NewArtifact {
  return {
    id: own(record.id),
    provenanceHash: record.provenance_hash,
    file,
    byteSize: record.byte_size ?? 0,
    rowCount: record.row_count,
    contentSha256: record.content_sha256 ?? '',
    transformSpec: own(record.transform_spec ?? 'null'),
    inputVersions: movedInputs(record.input_versions, places),
  };
}

function movedInputs(text: string | null, places: ReadonlyMap<string, string>): string {
  const parsed = z.record(z.string(), z.string()).safeParse(text === null ? {} : JSON.parse(text));
  const inputs = Object.entries(parsed.success ? parsed.data : {}).map(([uri, version]) => {
    const place = places.get(uri);
    const address = place === undefined ? undefined : parseArtifactUri(place);
    return address && place !== undefined ? [place, `${address.id}@v=${address.version}`] : [uri, version];
  });
  return JSON.stringify(Object.fromEntries(inputs));
}

/**
 * Every address in a result, wherever it stands, becomes the one that its bytes got here. The files that it read stayed where
 * they were: it is handed over as it is, until it runs here.
 */
function moved({ files: _, baseKey, ...result }: KeptResult, places: ReadonlyMap<string, string>): KeptResult {
  return JSON.parse(
    JSON.stringify({ ...result, key: baseKey ?? result.key }, (_key, value: unknown) =>
      typeof value === 'string' ? (places.get(value) ?? value) : value,
    ),
  );
}

/** What was chosen on widgets, and which results hold here because they held where they come from. */
async function writeNotes(folder: string, { cells, results }: Manifest): Promise<void> {
  const notes = Object.entries(cells).flatMap(([id, { status, provenance_hash: key, widget_values }]) => {
    const isReady = status === 'ready' && (results[id] ?? []).some((result) => result.key === key);
    if (!isReady && Object.keys(widget_values).length === 0) return [];
    return [[id, { widget_values, handed_over: isReady ? key : null }]];
  });
  if (notes.length === 0) return;
  const file = { schema_version: 1, cells: Object.fromEntries(notes) };
  await fs.writeFile(path.join(folder, '.svc/runtime.json'), JSON.stringify(file), { mode: 0o600 });
}
