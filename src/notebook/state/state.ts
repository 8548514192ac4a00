// The state of an open notebook as one plain value. It changes only through `apply`; sockets, files, processes and timers
// live around it. Everything here is read-only and shared between successive states.
import type { CellLanguage } from '../../cellLanguages.ts';
import type { SuggestedInstall } from '../../suggestInstall.ts';
import { noRun, type RunState } from './runState.ts';

export type CellStatus = 'idle' | 'running' | 'ready' | 'error' | 'stale';

/** What a cell is now: its text as analysed and the environment it would run in. */
export interface CellFacts {
  readonly id: string;
  readonly language: CellLanguage;
  /** Shown where a cell is spoken of: the first name it defines, else its id. */
  readonly name: string;
  readonly sourceDigest: string;
  readonly environmentHash: string;
  /** What it reads from outside the notebook, in words; null when nothing. Its result is current only as far as a look found. */
  readonly asksOutside: string | null;
  /** Names that other cells read; a result without one of them is of no use. */
  readonly consumed: readonly string[];
  /** Its result is never served again (`@nocache`, a mount that is written to). */
  readonly neverCached: boolean;
}

/** A name that a cell reads, and the cell it comes from. An order-only dependency has no variable. */
export interface Wire {
  readonly from: string;
  readonly variable: string;
  /** Set where all members of a swept group give the name: the reader gets their values by variant. */
  readonly variant?: { readonly group: string; readonly name: string };
  /** Set where a loop starts from a step of another: the value after that iteration. */
  readonly iteration?: number;
}

export interface Graph {
  /** Every cell that takes part, upstream before downstream. */
  readonly order: readonly string[];
  readonly wires: ReadonlyMap<string, readonly Wire[]>;
  readonly downstream: ReadonlyMap<string, readonly string[]>;
}

export interface StoredValue {
  readonly uri: string;
  readonly contentType: string;
  /** What readers of the value depend on: its bytes and, for what may hold code, the environment it came from. */
  readonly sha256: string;
  /** For code that travels as source: the values it is given, by name. */
  readonly lent?: Readonly<Record<string, StoredValue>>;
  /** One value for each variant of a swept group, in place of bytes of its own. */
  readonly sweep?: { readonly group: string; readonly variants: Readonly<Record<string, StoredValue>> };
}

/** What a run left behind, found again by its key. */
export interface CellResult {
  readonly key: string;
  readonly sourceDigest: string;
  readonly environmentHash: string;
  readonly variables: Readonly<Record<string, StoredValue>>;
  /** What it read, by name; results of before this was kept do without. */
  readonly inputs?: Readonly<Record<string, Pick<StoredValue, 'uri' | 'sha256'>>>;
  /** What a loop carried, after each of its iterations. */
  readonly iterations?: readonly StoredValue[];
  /** Files that it read, and what they held; a result that read some has them in its key, and `baseKey` is the key without. */
  readonly files?: Readonly<Record<string, { readonly print: string }>>;
  readonly baseKey?: string;
  /** What it left in files that cells above had read. */
  readonly wrote?: Readonly<Record<string, { readonly print: string }>>;
  /** Settings that could have mattered to it, by the digests of what cells above had made of them; they are in its key too. */
  readonly settingsUsed?: Readonly<Record<string, string | null>>;
  /** What it made of settings, for the cells below. */
  readonly settingsMade?: Readonly<Record<string, { readonly digest: string; readonly value: string }>>;
  /** Installed packages that it could have noticed, with blanks between; where it is left out nobody knows. */
  readonly packages?: string | undefined;
}

export interface CauseDetail {
  readonly type: 'source_changed' | 'input_changed' | 'env_changed' | 'file_changed' | 'setting_changed' | 'large_read';
  readonly cell_id?: string;
  readonly cell_name?: string;
  /** Which version of its input a cell read, and which it would read now. */
  readonly from_version?: number;
  readonly to_version?: number;
  readonly package?: string;
  /** How much a run of the cell would bring here. */
  readonly bytes?: number;
  /** A file that the cell read, and that holds something else now. */
  readonly file?: string;
  /** A setting that cells above have made something else of. */
  readonly setting?: string;
  /** Its source is as it was: values that are read now were not kept when it ran. */
  readonly unkept?: true;
}

export interface Causality {
  readonly reason: 'self' | 'upstream' | 'env';
  readonly details: readonly CauseDetail[];
  /** In a reactive notebook: why the cell did not follow by itself. */
  readonly waits?: Waiting;
}

/**
 * `slow`: it, or all that would follow together, takes too long. `outside`: it touched the world outside, which happens when
 * somebody asks for it. `unknown`: nobody saw what it touches. `broken`: its text cannot be read. `above`: it reads from a cell that
 * waits.
 */
export interface Waiting {
  readonly because: 'slow' | 'together' | 'outside' | 'unknown' | 'broken' | 'above';
  /** How long it, or all of them, took the last time. */
  readonly duration_ms?: number;
}

/** A run that failed: why, the source that failed, and what it had printed. */
export interface CellFailure {
  readonly text: string;
  readonly sourceDigest: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Packages that would help; null: none would. Left out where nobody kept it. */
  readonly install?: SuggestedInstall | null;
}

export interface CellState {
  readonly status: CellStatus;
  /** Whether its result is what its source, environment and inputs give now; kept while it runs. */
  readonly current: boolean;
  readonly reasons: readonly 'upstream'[];
  readonly causality: Causality | null;
  /** The result it shows and that cells below read; it may be older than its source. */
  readonly result: CellResult | null;
  /** The failure of its last run, and the source that failed. */
  readonly error: CellFailure | null;
}

export interface SessionState {
  readonly facts: ReadonlyMap<string, CellFacts>;
  readonly graph: Graph;
  readonly cells: ReadonlyMap<string, CellState>;
  /** What was last found of what cells read from outside the notebook, and for which words. */
  readonly outside: ReadonlyMap<string, { readonly asked: string; readonly digest: string }>;
  /** What files hold that results have read, as last seen. */
  readonly files: ReadonlyMap<string, string>;
  /** Cells that have made something of settings which cells share, in the order of the notebook. */
  readonly makers: readonly string[];
  /** Keys of results that came with the notebook and held where it came from, by cell. */
  readonly handedOver: ReadonlyMap<string, string>;
  /** Every result that is kept, by cell and key. */
  readonly results: ReadonlyMap<string, ReadonlyMap<string, CellResult>>;
  readonly run: RunState;
}

export const unknownCell: CellState = {
  status: 'idle',
  current: false,
  reasons: [],
  causality: null,
  result: null,
  error: null,
};

export const emptySession: SessionState = {
  facts: new Map(),
  graph: { order: [], wires: new Map(), downstream: new Map() },
  cells: new Map(),
  outside: new Map(),
  files: new Map(),
  makers: [],
  handedOver: new Map(),
  results: new Map(),
  run: noRun,
};
