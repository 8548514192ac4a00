// A result on its way from the team's store: looked up value by value, fetched when all are there, and given as if a run had
// left it in its folder.
import path from 'node:path';
import type { TeamValue, TeamValues } from '../../artifacts/index.ts';
import { type FilePrints, readOwnJson } from '../../files/index.ts';
import { type RunResult, succeededRun, type ValueRecord } from '../../runtimes/index.ts';
import { labelledKey } from '../provenance/index.ts';
import type { CellRun } from './cellRun.ts';
import { isPlainData } from './keepResult.ts';
import { observedKey, type ReadFiles } from './readFiles.ts';
import type { KeptResult } from './results.ts';
import { ownReads, readsLabel, readsSchema } from './teamReads.ts';
import { type Shown, shownLabel, shownSchema } from './teamShown.ts';

/** Where a result came from, and what it saved. */
export interface TeamOrigin {
  readonly principal: string | null;
  readonly buildEnv: string;
  readonly savedMs: number;
  /** The name that it was promoted under, if it was. */
  readonly promotion: string | null;
}

export interface FoundResult {
  readonly run: RunResult;
  /** What the run touched, and which of the files here it depends on. */
  readonly observed: Pick<KeptResult, 'effects' | 'files'>;
  readonly origin: TeamOrigin;
}

export interface FindWork {
  readonly values: TeamValues;
  readonly principal: string | null;
  /** What Python cells run on here. */
  readonly buildEnv: string;
  readonly prints: FilePrints;
}

export async function findResult(
  work: FindWork,
  cell: CellRun,
  folder: string,
  signal: AbortSignal,
): Promise<FoundResult | undefined> {
  const known = await findUnder(work, { cell, folder, key: cell.key, files: {} }, signal);
  if (known) return known;
  const { values, principal, prints } = work;
  const reads = await values.find(labelledKey(cell.key, readsLabel), principal, signal);
  if (!reads) return undefined;
  const list = path.join(folder, 'team-reads');
  await values.fetch(reads, list, principal, signal);
  const told = readsSchema.safeParse(await readOwnJson(list));
  const files = told.success ? await ownReads(told.data.files, cell.notebookDir, prints) : undefined;
  return files && findUnder(work, { cell, folder, key: observedKey(cell.key, { files }), files }, signal);
}

interface Sought {
  readonly cell: CellRun;
  readonly folder: string;
  readonly key: string;
  /** What the key says of files. */
  readonly files: ReadFiles;
}

async function findUnder(
  { values, principal, buildEnv }: FindWork,
  { cell, folder, key, files }: Sought,
  signal: AbortSignal,
): Promise<FoundResult | undefined> {
  const lookUp = (label: string): Promise<TeamValue | undefined> =>
    values.find(labelledKey(key, label), principal, signal);

  async function bring(value: TeamValue, label: string): Promise<ValueRecord & { readonly file: string }> {
    // Labels are names of variables, which some languages let hold anything.
    const file = `team-${labelledKey('', label)}`;
    const content = await values.fetch(value, path.join(folder, file), principal, signal);
    return {
      content_type: value.content_type,
      file,
      ...content,
      ...(value.row_count === null ? {} : { rows: value.row_count }),
    };
  }

  async function bringShown(value: TeamValue): Promise<Shown> {
    const { file } = await bring(value, shownLabel);
    return shownSchema.parse(await readOwnJson(path.join(folder, file)));
  }

  const [shownValue, ...found] = await Promise.all([shownLabel, ...cell.wanted].map(lookUp));
  const wanted = found.filter((value) => value !== undefined);
  const fits = wanted.every((one) => isPlainData(one.content_type) || one.build_env === buildEnv);
  // What was promoted comes without what was shown; where nothing is wanted, that is all there is.
  const isWhole = wanted.length === found.length && (wanted.length > 0 || shownValue !== undefined);
  if (!fits || !isWhole) return undefined;

  const shown = shownValue ? await bringShown(shownValue) : nothingShown;
  const labels = shown.displays.flatMap(({ label }) => (label === null || cell.wanted.includes(label) ? [] : [label]));
  const others = await Promise.all(labels.map(lookUp));
  const places = [...cell.wanted, ...labels];
  const all = [...wanted, ...others].filter((value) => value !== undefined);
  if (all.length < places.length) return undefined;
  const records = new Map(
    await Promise.all(
      all.map(async (value, index) => {
        const label = places[index] ?? '';
        return [label, await bring(value, label)] as const;
      }),
    ),
  );

  const origin = originOf(shownValue ? [...wanted, shownValue] : wanted);
  return {
    origin,
    observed: { files, ...(shown.effects ? { effects: shown.effects } : {}) },
    run: succeededRun({
      executionMethod: 'cached',
      stdout: shown.stdout,
      stderr: shown.stderr,
      durationMs: origin.savedMs,
      buildEnv: origin.buildEnv,
      variables: Object.fromEntries(records),
      displays: shown.displays.map(({ label, record }) => {
        const { file, bytes, sha256 } = records.get(label ?? '') ?? {};
        return { ...record, file, bytes, sha256 };
      }),
    }),
  };
}

const nothingShown: Shown = { stdout: '', stderr: '', displays: [] };

const originOf = (values: readonly TeamValue[]): TeamOrigin => ({
  principal: values[0]?.principal ?? null,
  buildEnv: values[0]?.build_env ?? '',
  savedMs: Math.max(...values.map(({ build_duration_ms }) => build_duration_ms)),
  promotion: values.find(({ promotion }) => promotion !== null)?.promotion ?? null,
});
