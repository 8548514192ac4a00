// Everything that always holds of a store, looked at row by row and byte by byte. Nothing is changed, and a server may work on
// meanwhile: what looks wrong is looked at a second time before it is told.
import { number as numberOf, type Queries, text } from '../../database/index.ts';
import { type Blobs, blobNameOf } from '../blobs/blobs.ts';
import { type ArtifactAddress, type ArtifactVersion, artifactStates, shortAddress } from '../types.ts';
import { finishedVersions, flawOfBytes } from './bytes.ts';
import type { Flaw } from './flaw.ts';

export interface CheckedStore {
  readonly queries: Pick<Queries, 'all' | 'get'>;
  readonly blobs: Pick<Blobs, 'open' | 'list'>;
  readonly dialect: 'sqlite' | 'postgresql';
  readonly signal: AbortSignal;
  /** Called for each version that was looked at. */
  readonly onVersion?: (version: ArtifactVersion) => void;
}

const hour = 3600;

/** The store that a server keeps for everybody. */
export async function* flawsOfStore(checked: CheckedStore): AsyncGenerator<Flaw> {
  yield* flawsOfFile(checked);
  yield* flawsOfStates(checked);
  yield* flawsOfVersions(checked, () => Promise.resolve(false));
  yield* flawsOfPointers(checked);
  yield* flawsOfInputs(checked);
  yield* flawsOfBuilds(checked);
  yield* unnamedBytes(checked, 'A running server removes it within an hour; `svc artifact gc` does not.');
}

/** `putsBack`: the next opening writes the files of small values anew, for the machine has started since the last. */
export async function* flawsOfNotebookStore(checked: CheckedStore, putsBack: boolean): AsyncGenerator<Flaw> {
  yield* flawsOfFile(checked);
  yield* flawsOfStates(checked);
  const lies = ({ id, version }: ArtifactAddress): Promise<boolean> =>
    checked.queries
      .get('SELECT 1 AS found FROM artifact_bytes WHERE artifact_id = ? AND version = ?', [id, version], () => true)
      .then((found) => found ?? false);
  yield* flawsOfVersions(checked, async (version) => putsBack && (await lies(version)));
  yield* unnamedBytes(checked, 'Open the notebook once: what no row names is removed then.');
}

async function* flawsOfFile({ queries, dialect }: CheckedStore): AsyncGenerator<Flaw> {
  if (dialect !== 'sqlite') return;
  const wrong = await queries.all('PRAGMA integrity_check(5)', [], (row) => String(Object.values(row)[0]));
  if (wrong.join() !== 'ok')
    yield {
      level: 'problem',
      code: 'database_damaged',
      where: 'artifacts.sqlite',
      found: `the database file is damaged: ${wrong.join('; ')}`,
      remedy: 'Stop the server and restore the last backup with svc restore.',
    };
}

async function* flawsOfStates({ queries }: CheckedStore): AsyncGenerator<Flaw> {
  const known = artifactStates.map((state) => `'${state}'`).join(', ');
  const odd = await queries.all(
    `SELECT id, version, state FROM artifact_versions WHERE state NOT IN (${known})`,
    [],
    (row) => ({ address: { id: text(row, 'id'), version: numberOf(row, 'version') }, state: text(row, 'state') }),
  );
  for (const { address, state } of odd)
    yield {
      level: 'problem',
      code: 'state_unknown',
      where: shortAddress(address),
      found: `it is in a state that nobody knows: ${state}`,
      remedy: 'Something else wrote to the database: restore the last backup with svc restore.',
    };
}

const remedies = {
  missing: 'Bring the file back from a backup; without one the version is lost, and what made it has to run again.',
  size: 'Bring the file back from a backup; without one the version is lost, and what made it has to run again.',
  digest: 'The disk, or somebody, has changed the bytes: bring the file back from a backup and look at the disk.',
};

async function* flawsOfVersions(
  checked: CheckedStore,
  isMadeAgain: (version: ArtifactVersion) => Promise<boolean>,
): AsyncGenerator<Flaw> {
  const find = (address: ArtifactAddress): Promise<(ArtifactAddress & { blobName: string | null }) | undefined> =>
    checked.queries.get(
      'SELECT id, version, blob_name FROM artifact_versions WHERE id = ? AND version = ?',
      [address.id, address.version],
      (row) => ({ ...address, blobName: row.blob_name === null ? null : text(row, 'blob_name') }),
    );
  for await (const version of finishedVersions(checked.queries)) {
    checked.signal.throwIfAborted();
    checked.onVersion?.(version);
    const owner = version.canonical ? await find(version.canonical) : version;
    const isGone = async (): Promise<boolean> => (await find(version)) === undefined;
    if (!owner) {
      if (await isGone()) continue;
      yield {
        level: 'problem',
        code: 'shared_bytes_gone',
        where: shortAddress(version),
        found: `it shares the bytes of ${shortAddress(version.canonical ?? version)}, which is gone`,
        remedy: remedies.missing,
      };
      continue;
    }
    const flaw = await flawOfBytes(await checked.blobs.open(blobNameOf(owner)), version);
    if (!flaw || (flaw.problem === 'missing' && (await isMadeAgain(version))) || (await isGone())) continue;
    yield {
      level: 'problem',
      code: `bytes_${flaw.problem}`,
      where: shortAddress(version),
      found: `blobs/${blobNameOf(owner)}: ${flaw.detail}`,
      remedy: remedies[flaw.problem],
    };
  }
}

/** Tables whose rows speak of a version, and what to do about those that speak of none. */
const pointers: readonly { table: string; what: string; words: string; remedy: string }[] = [
  {
    table: 'artifact_names',
    what: 'name',
    words: 'name',
    remedy: 'Point it at a version that is there, or delete it.',
  },
  {
    table: 'artifact_aliases',
    what: 'alias',
    words: "name || '@' || alias",
    remedy: 'Move it to a version that is there, or delete it.',
  },
  { table: 'artifact_tags', what: 'tag', words: 'key', remedy: 'It does no harm; delete it where tags are listed.' },
  {
    table: 'artifact_pins',
    what: 'pin',
    words: 'reason',
    remedy: 'Bring the version back from a backup, or take the pin off.',
  },
  {
    table: 'artifact_publications',
    what: 'publication',
    words: 'id',
    remedy: 'Bring the version back from a backup, or withdraw it with svc artifact unpublish.',
  },
  {
    table: 'registry_pending',
    what: 'change that waits for approval',
    words: "name || '@' || alias",
    remedy: 'Reject it: what it would point at is gone.',
  },
];

async function* flawsOfPointers({ queries, signal }: CheckedStore): AsyncGenerator<Flaw> {
  for (const { table, what, words, remedy } of pointers) {
    signal.throwIfAborted();
    const lost = await queries.all(
      `SELECT p.artifact_id, p.version, p.words FROM
         (SELECT artifact_id, version, ${words} AS words FROM ${table} WHERE artifact_id IS NOT NULL) AS p
       WHERE NOT EXISTS (SELECT 1 FROM artifact_versions v WHERE v.id = p.artifact_id AND v.version = p.version)`,
      [],
      (row) => ({ id: text(row, 'artifact_id'), version: numberOf(row, 'version'), words: text(row, 'words') }),
    );
    for (const one of lost)
      yield {
        level: 'problem',
        code: 'points_nowhere',
        where: one.words,
        found: `the ${what} ${one.words} points at ${shortAddress(one)}, which is gone`,
        remedy,
      };
  }
}

/** Whatever is named, pinned or published keeps what it was made from. */
async function* flawsOfInputs({ queries }: CheckedStore): AsyncGenerator<Flaw> {
  const gone = await queries.all(
    `SELECT i.artifact_id, i.version, i.input_id, i.input_number FROM artifact_inputs i
     WHERE i.input_id IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM artifact_versions v WHERE v.id = i.input_id AND v.version = i.input_number)
       AND (${['names', 'aliases', 'pins', 'publications']
         .map(
           (table) =>
             `EXISTS (SELECT 1 FROM artifact_${table} p WHERE p.artifact_id = i.artifact_id AND p.version = i.version)`,
         )
         .join(' OR ')})`,
    [],
    (row) => ({
      of: { id: text(row, 'artifact_id'), version: numberOf(row, 'version') },
      input: { id: text(row, 'input_id'), version: numberOf(row, 'input_number') },
    }),
  );
  for (const { of, input } of gone)
    yield {
      level: 'warning',
      code: 'input_gone',
      where: shortAddress(of),
      found: `it was made from ${shortAddress(input)}, which is gone`,
      remedy:
        'Somebody deleted the input, or it was never copied here: promote it again with more --max-depth, or leave it.',
    };
  const loose = await queries.all(
    `SELECT DISTINCT i.artifact_id, i.version FROM artifact_inputs i
     WHERE NOT EXISTS (SELECT 1 FROM artifact_versions v WHERE v.id = i.artifact_id AND v.version = i.version)`,
    [],
    (row) => ({ id: text(row, 'artifact_id'), version: numberOf(row, 'version') }),
  );
  for (const address of loose)
    yield {
      level: 'problem',
      code: 'inputs_of_nothing',
      where: shortAddress(address),
      found: 'what it was made from is recorded, and it is gone',
      remedy: 'Something else wrote to the database: restore the last backup with svc restore.',
    };
}

async function* flawsOfBuilds({ queries }: CheckedStore): AsyncGenerator<Flaw> {
  const left = await queries.all(
    `SELECT v.id, v.version FROM artifact_versions v WHERE v.state = 'building' AND v.created_at < ?
       AND NOT EXISTS (SELECT 1 FROM builds b WHERE b.artifact_id = v.id AND b.version = v.version
         AND b.state IN ('pending', 'building'))`,
    [Date.now() / 1000 - hour],
    (row) => ({ id: text(row, 'id'), version: numberOf(row, 'version') }),
  );
  for (const address of left)
    yield {
      level: 'warning',
      code: 'building_for_nobody',
      where: shortAddress(address),
      found: 'it is being made for more than an hour, and no build makes it',
      remedy: 'Start the server again: it marks what was left unfinished (SVC_ARTIFACT_ZOMBIE_BUILD_TIMEOUT_SECONDS).',
    };
}

/** Bytes come before their rows, so that only those that are older than any upload belong to nobody. */
async function* unnamedBytes({ queries, blobs, signal }: CheckedStore, remedy: string): AsyncGenerator<Flaw> {
  for await (const names of blobs.list(Date.now() / 1000 - hour)) {
    signal.throwIfAborted();
    if (names.length === 0) continue;
    const known = await namedAmong(queries, names);
    for (const name of names)
      if (!known.has(name))
        yield {
          level: 'warning',
          code: 'bytes_unnamed',
          where: name,
          found: `blobs/${name}: no row names these bytes`,
          remedy,
        };
  }
}

async function namedAmong(queries: Pick<Queries, 'all'>, names: readonly string[]): Promise<Set<string>> {
  const places = names.map(() => '?').join(', ');
  const known = new Set<string>();
  for (const table of ['artifact_versions', 'import_staging', 'build_attempts', 'late_uploads'])
    for (const name of await queries.all(
      `SELECT blob_name FROM ${table} WHERE blob_name IN (${places})`,
      names,
      (row) => text(row, 'blob_name'),
    ))
      known.add(name);
  // Names that follow from addresses are in no column.
  for (const name of names) {
    const address = /^(.*)@v=(\d{1,15})\.arrow$/s.exec(name);
    if (known.has(name) || !address) continue;
    const own = await queries.all(
      'SELECT id, version FROM artifact_versions WHERE version = ? AND blob_name IS NULL AND (id = ? OR ? = 1)',
      [Number(address[2]), address[1] ?? '', address[1]?.startsWith('~') ? 1 : 0],
      (row) => blobNameOf({ id: text(row, 'id'), version: numberOf(row, 'version'), blobName: null }),
    );
    if (own.includes(name)) known.add(name);
  }
  return known;
}
