// One run of one cell, from its inputs in the store to its result in the store. The outside world sees either the whole
// result or none of it; the run's own folder goes afterwards in every case.
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { type ArtifactStore, artifactUri, type NewArtifact, parseArtifactUri } from '../../artifacts/index.ts';
import type { InputFile, Job, RunEvent, RunResult, ValueRecord } from '../../runtimes/runtime.ts';
import type { CellRuntime, OutsideLook } from '../languages/index.ts';
import { labelledKey } from '../provenance/index.ts';
import type { StoredValue } from '../session/index.ts';
import type { Display, KeptResult, Results } from './results.ts';
import type { RunFolders } from './runFolders.ts';

export interface CellRun extends Omit<Job, 'outputDir' | 'inputs'> {
  readonly notebookId: string;
  readonly key: string;
  readonly sourceDigest: string;
  readonly environmentHash: string;
  /** The values that wired names stand for. */
  readonly inputs: ReadonlyMap<string, StoredValue>;
  /** What was found of what the cell reads from outside the notebook. */
  readonly outside: OutsideLook | undefined;
  /** Names that are given to code which travels as source: inputs, or variables of the cell that are stored with it. */
  readonly lent: readonly string[];
}

export interface FailedRun {
  readonly run: RunResult;
  readonly result: null;
  readonly problem: string;
}

export type Executed = { readonly run: RunResult; readonly result: KeptResult } | FailedRun;

export interface ExecuteParts {
  readonly runtime: CellRuntime;
  readonly store: ArtifactStore;
  readonly results: Results;
  /** On the file system of the store. */
  readonly folders: RunFolders;
}

export async function executeCell(
  parts: ExecuteParts,
  cell: CellRun,
  onEvent: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<Executed> {
  if (!existsSync(cell.workDir)) await fs.mkdir(cell.workDir, { recursive: true });
  const outputDir = await parts.folders.take();
  try {
    const run = await parts.runtime.run(
      { ...cell, inputs: { ...inputFiles(parts.store, cell.inputs), ...cell.outside?.inputs }, outputDir },
      onEvent,
      signal,
    );
    if (run.outcome !== 'success') return { run, result: null, problem: run.error?.text ?? '' };
    const missing = cell.wanted.filter((name) => run.variables[name]?.file === undefined);
    if (missing.length > 0) return { run, result: null, problem: unstored(missing, run) };
    return { run, result: await keepResult(parts, cell, run, outputDir) };
  } finally {
    parts.folders.discard(outputDir);
  }
}

/** Names of values whose stored bytes are gone: somebody tidied up where the store lies. */
export function lostValues(store: ArtifactStore, values: Iterable<readonly [string, StoredValue]>): string[] {
  return [...values].flatMap(([name, { uri }]) => {
    const address = parseArtifactUri(uri);
    return address && existsSync(store.blobPath(address)) ? [] : [name];
  });
}

export function inputFiles(
  store: ArtifactStore,
  values: ReadonlyMap<string, StoredValue> | readonly (readonly [string, StoredValue])[],
): Record<string, InputFile> {
  const files: Record<string, InputFile> = {};
  for (const [name, { uri, contentType, lent }] of values) {
    const address = parseArtifactUri(uri);
    if (!address) continue;
    const file = { contentType, file: store.blobPath(address) };
    // What is lent may be code that was lent something itself.
    files[name] = lent ? { ...file, injected: inputFiles(store, Object.entries(lent)) } : file;
  }
  return files;
}

function unstored(missing: readonly string[], run: RunResult): string {
  const reasons = missing.map((name) => `${name}: ${run.variables[name]?.error ?? 'it was not defined'}`);
  return `The cell ran, but what other cells read of it could not be stored (${reasons.join('; ')}).`;
}

async function keepResult(
  { results }: ExecuteParts,
  cell: CellRun,
  run: RunResult,
  outputDir: string,
): Promise<KeptResult> {
  // By file: a variable that the cell ends with is stored once, and displayed from there.
  const artifacts = new Map<string, NewArtifact>();
  const add = (label: string, value: ValueRecord | undefined): void => {
    if (value?.file === undefined || artifacts.has(value.file)) return;
    artifacts.set(value.file, newArtifact(cell, label, value, path.join(outputDir, value.file)));
  };
  for (const name of cell.wanted) add(name, run.variables[name]);
  for (const [index, display] of run.displays.entries()) add(`__display__${index}`, display);
  return results.keep(cell.cellId, [...artifacts.values()], (stored) => {
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
          cell.wanted.map((name) => [name, storedValue(uriOf(run.variables[name]), run.variables[name], cell)]),
        ),
        cell,
      ),
      displays: run.displays.map((display): Display => ({ ...display, artifact_uri: uriOf(display) })),
      stdout: run.stdout,
      stderr: run.stderr,
      durationMs: run.durationMs,
      createdAt: Date.now() / 1000,
    };
  });
}

function newArtifact(cell: CellRun, label: string, value: ValueRecord, file: string): NewArtifact {
  return {
    id: `nb_${cell.notebookId}_cell_${cell.cellId}_var_${label}`,
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
      },
    }),
    inputVersions: JSON.stringify({
      ...Object.fromEntries([...cell.inputs.values()].map(({ uri }) => [uri, uri.replace('svc://artifact/', '')])),
      ...cell.outside?.lineage,
    }),
  };
}

const storedValue = (uri: string, value: ValueRecord | undefined, { environmentHash }: CellRun): StoredValue => {
  const contentType = value?.content_type ?? '';
  const digest = value?.sha256 ?? '';
  return { uri, contentType, sha256: isPlainData(contentType) ? digest : labelledKey(digest, environmentHash) };
};

/** Anything else may hold code, which reads the environment when it is called: the same bytes may then do other things. */
const isPlainData = (contentType: string): boolean => contentType === 'arrow/ipc' || contentType === 'json/object';

/** Code that travels as source carries where the values it is given can be found, and is another with other values. */
function withLent(variables: Readonly<Record<string, StoredValue>>, cell: CellRun): Record<string, StoredValue> {
  const lent: Record<string, StoredValue> = {};
  for (const name of cell.lent) {
    const value = cell.inputs.get(name) ?? variables[name];
    if (value) lent[name] = value;
  }
  const digests = JSON.stringify(Object.entries(lent).map(([name, { sha256 }]) => [name, sha256]));
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      if (value.contentType === 'module/cell')
        return [name, { ...value, sha256: labelledKey(value.sha256, digests), lent }];
      if (value.contentType === 'module/cell-instance')
        return [name, { ...value, sha256: labelledKey(value.sha256, digests) }];
      return [name, value];
    }),
  );
}
