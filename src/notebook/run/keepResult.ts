// From what a run left in its folder to a kept result: artifacts, and the record that refers to them, in one commit.
import path from 'node:path';
import { artifactUri, type NewArtifact } from '../../artifacts/index.ts';
import type { FilePrints } from '../../files/index.ts';
import { noEffects, type ReadMoment, type RunResult, type ValueRecord } from '../../runtimes/index.ts';
import { labelledKey } from '../provenance/index.ts';
import type { StoredValue } from '../state/index.ts';
import type { CellRun } from './cellRun.ts';
import { toldEffects } from './effects.ts';
import { packagesOf } from './packages.ts';
import { filesRead, filesWritten, observedFields, observedKey, type ReadFiles } from './readFiles.ts';
import type { Display, KeptResult, Results, Sketch, Standing } from './results.ts';
import { type TableWriter, writeTables } from './tableWrites.ts';

export interface KeepParts {
  readonly results: Results;
  /** Undefined where no tables are written. */
  readonly tableWriter: TableWriter | undefined;
  readonly prints: FilePrints;
}

/** `more` is what only some results say of themselves. */
export async function keepResult(
  { results, tableWriter, prints }: KeepParts,
  asked: CellRun,
  run: RunResult,
  outputDir: string,
  more: Partial<KeptResult> = {},
): Promise<KeptResult> {
  // Files of a worker's machine are told, and cannot be looked at here.
  const touched = run.remote ? { ...noEffects, read: run.taken ?? [] } : run.effects;
  const read = await filesRead(touched, asked.notebookDir, prints);
  const wrote = run.remote ? {} : await filesWritten(run.effects, asked, prints);
  const files = { ...more.files, ...read };
  const observed = { files, settings: run.settings };
  const cell = { ...asked, key: observedKey(asked.key, observed) };
  await writeTables(tableWriter, cell, run, outputDir);
  // By file: a variable that the cell ends with is stored once, and displayed from there.
  const artifacts = new Map<string, NewArtifact>();
  const add = (label: string, value: ValueRecord | undefined): void => {
    if (value?.file === undefined || artifacts.has(value.file)) return;
    artifacts.set(value.file, newArtifact(cell, run, label, value, path.join(outputDir, value.file)));
  };
  const names = namesToKeep(cell, run);
  const code = codeAround(cell, files);
  const packages = packagesOf(run);
  for (const name of names) add(name, run.variables[name]);
  for (const [index, display] of run.displays.entries()) add(`__display__${index}`, display);
  return results.keep(`${cell.cellId}${cell.part}`, [...artifacts.values()], (stored) => {
    const versions = new Map([...artifacts.keys()].map((file, index) => [file, stored[index]]));
    const uriOf = (value: ValueRecord | undefined): string => {
      const version = versions.get(value?.file ?? '');
      return version ? artifactUri(version) : '';
    };
    return {
      key: cell.key,
      sourceDigest: cell.sourceDigest,
      environmentHash: cell.environmentHash,
      variables: withLent(
        Object.fromEntries(
          names.map((name) => [name, storedValue(uriOf(run.variables[name]), run.variables[name], code)]),
        ),
        cell,
      ),
      inputs: readInputs(cell),
      displays: run.displays.map((display): Display => ({ ...display, artifact_uri: uriOf(display) })),
      stdout: run.stdout,
      stderr: run.stderr,
      durationMs: run.durationMs,
      createdAt: Date.now() / 1000,
      ...(cell.part === '' ? { sketches: sketchesOf(run) } : {}),
      ...(cell.storesAll ? { isWhole: true } : {}),
      ...(cell.part === '' ? { source: cell.source } : {}),
      ...(run.effects ? { effects: toldEffects(run, run.effects, cell.notebookDir) } : {}),
      ...(Object.keys(wrote).length > 0 ? { wrote } : {}),
      ...(packages === undefined ? {} : { packages }),
      ...more,
      ...observedFields(asked.key, observed),
    };
  });
}

function namesToKeep(cell: CellRun, { variables }: RunResult): readonly string[] {
  const isStored = (name: string): boolean => variables[name]?.file !== undefined;
  const stored = Object.keys(variables).filter(isStored);
  if (cell.storesAll) return stored;
  if (!cell.keepsBytes) return cell.wanted;
  // Code that nobody reads yet is of use with all that it is given.
  const isLentWhole = cell.lent.every((name) => cell.inputs.has(name) || isStored(name));
  const ofUse = stored.filter((name) => isLentWhole || variables[name]?.content_type !== 'module/cell');
  return [...new Set([...cell.wanted, ...ofUse])];
}

const maxSketches = 200;

function sketchesOf({ variables, types = {}, items = {} }: RunResult): Record<string, Sketch> {
  const known = Object.entries(types).slice(0, maxSketches);
  return Object.fromEntries(
    known.map(([name, type]) => {
      const { rows, columns, index_columns } = variables[name] ?? {};
      const held = items[name];
      return [
        name,
        {
          type,
          ...(rows === undefined ? {} : { rows }),
          ...(held === undefined ? {} : { items: held }),
          ...columnsOf(columns, index_columns),
        },
      ];
    }),
  );
}

/** The index lies behind the columns; one without a name has none that anybody could write. */
function columnsOf(stored: readonly string[] | undefined, indexColumns = 0): Pick<Sketch, 'columns' | 'index'> {
  if (stored === undefined) return {};
  const first = stored.length - indexColumns;
  const index = stored.slice(first).filter((name) => !unnamedIndex.test(name));
  return { columns: stored.slice(0, first), ...(index.length === 0 ? {} : { index }) };
}

const unnamedIndex = /^__index_level_\d+__$/;

/** What a run read, as its result remembers it. */
export const readInputs = ({ inputs }: CellRun): NonNullable<KeptResult['inputs']> =>
  Object.fromEntries([...inputs].map(([name, { uri, sha256 }]) => [name, { uri, sha256 }]));

export function newArtifact(
  cell: CellRun,
  { buildEnv, durationMs, snapshot }: Pick<RunResult, 'buildEnv' | 'durationMs' | 'snapshot'>,
  label: string,
  value: ValueRecord,
  file: string,
): NewArtifact {
  return {
    id: `${idPrefix(cell.notebookId)}${cell.cellId}${beforeLabel}${label}${cell.part}`,
    provenanceHash: labelledKey(cell.key, label),
    file,
    byteSize: value.bytes ?? 0,
    rowCount: value.rows ?? null,
    contentSha256: value.sha256 ?? '',
    transformSpec: JSON.stringify({
      executor: 'notebook/cell@v1',
      params: {
        cell_id: cell.cellId,
        variable_name: label,
        content_type: value.content_type,
        source: cell.source,
        source_hash: cell.sourceDigest,
        env_hash: cell.environmentHash,
        build_env: buildEnv,
        build_duration_ms: String(Math.round(durationMs)),
        ...(snapshot ? snapshotParams(snapshot) : {}),
      },
    }),
    inputVersions: JSON.stringify({ ...lineage(cell.inputs.values()), ...cell.outside?.lineage }),
  };
}

/** Which moment a query read, so that another server can read the same. */
const snapshotParams = ({ at, validUntil, tables }: ReadMoment): Record<string, string> =>
  tables === null
    ? {
        sql_snapshot_basis: 'timestamp',
        sql_snapshot_at: at,
        ...(validUntil === null ? {} : { sql_snapshot_valid_until: validUntil }),
      }
    : { sql_snapshot_basis: 'iceberg', sql_snapshot_at: at, sql_snapshot_ids: JSON.stringify(tables) };

const idPrefix = (notebookId: string): string => `nb_${notebookId}_cell_`;
const beforeLabel = '_var_';

/** Tells of ids of artifacts whether their cell is one of these. */
export function standingAmong(notebookId: string, cellIds: ReadonlySet<string>): (artifactId: string) => Standing {
  const prefix = idPrefix(notebookId);
  return (id) => {
    if (!id.startsWith(prefix)) return 'foreign';
    // Names of cells and of variables may hold what stands between them.
    for (let at = id.indexOf(beforeLabel, prefix.length); at >= 0; at = id.indexOf(beforeLabel, at + 1))
      if (cellIds.has(id.slice(prefix.length, at))) return 'there';
    return 'gone';
  };
}

function lineage(values: Iterable<StoredValue>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { uri, sweep } of values) {
    if (sweep) Object.assign(found, lineage(Object.values(sweep.variants)));
    else found[uri] = uri.replace('svc://artifact/', '');
  }
  return found;
}

const storedValue = (uri: string, value: ValueRecord | undefined, code: string): StoredValue => {
  const contentType = value?.content_type ?? '';
  const digest = value?.sha256 ?? '';
  return { uri, contentType, sha256: isPlainData(contentType) ? digest : labelledKey(digest, code) };
};

/** The environment, and the modules of the notebook that the run imported. */
function codeAround({ environmentHash }: CellRun, files: ReadFiles): string {
  const modules = Object.entries(files).filter(([name]) => name.endsWith('.py'));
  if (modules.length === 0) return environmentHash;
  return labelledKey(environmentHash, modules.map(([name, { print }]) => `${name}=${print}`).join('\0'));
}

/** Anything else may hold code, which is read when it is called: the same bytes may then do other things. */
export const isPlainData = (contentType: string): boolean =>
  contentType === 'arrow/ipc' || contentType === 'json/object' || contentType === 'dir/manifest';

/** Of a value that cannot be written down: whoever reads it runs the cell that makes it, with the inputs of that cell. */
export const remadeType = 'cell/remade';

/** Code that travels as source carries where the values it is given can be found, and is another with other values. */
function withLent(stored: Readonly<Record<string, StoredValue>>, cell: CellRun): Record<string, StoredValue> {
  const variables = withInputs(stored, cell);
  const lent: Record<string, StoredValue> = {};
  for (const name of cell.lent) {
    const value = cell.inputs.get(name) ?? variables[name];
    if (value) lent[name] = value;
  }
  const digests = JSON.stringify(Object.entries(lent).map(([name, { sha256 }]) => [name, sha256]));
  return mapped(variables, (value) => {
    if (value.contentType === 'module/cell') return { ...value, sha256: labelledKey(value.sha256, digests), lent };
    if (value.contentType === 'module/cell-instance') return { ...value, sha256: labelledKey(value.sha256, digests) };
    return value;
  });
}

/** What is made anew is made of what its cell was given. */
function withInputs(
  variables: Readonly<Record<string, StoredValue>>,
  { inputs }: CellRun,
): Record<string, StoredValue> {
  const given = JSON.stringify([...inputs].map(([name, { sha256 }]) => [name, sha256]));
  const lent = Object.fromEntries(inputs);
  return mapped(variables, (value) =>
    value.contentType === remadeType ? { ...value, sha256: labelledKey(value.sha256, given), lent } : value,
  );
}

const mapped = (
  values: Readonly<Record<string, StoredValue>>,
  change: (value: StoredValue) => StoredValue,
): Record<string, StoredValue> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
