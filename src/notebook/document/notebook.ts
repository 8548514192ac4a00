// A notebook as the rest of the service sees it: the file's keys, each cell with its source, and what was wrong with the
// files. Values are those in memory; secrets that the file only names are carried from one reading to the next.
import type { CellLanguage } from '../../cellLanguages.ts';
import type { AiConfig, Mount, SecretManagerConfig, VariantGroupEntry, WorkerSpec } from './schema.ts';

export interface Cell {
  readonly id: string;
  /** Below `cells/`. */
  readonly file: string;
  readonly language: CellLanguage;
  readonly order: number;
  readonly worker: string | null;
  readonly timeout: number | null;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly createdBy: string | null;
  readonly updatedBy: string | null;
  readonly source: string;
  /** Empty when the cell has no tests. */
  readonly testSource: string;
}

export interface Connection {
  readonly name: string;
  readonly driver: string;
  readonly auth: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly credential: string | null;
  /** The driver's own keys: `uri`, `host`, `path`, … */
  readonly extras: Readonly<Record<string, unknown>>;
}

/** A block that cannot be used. It stays in the file word for word. */
export interface MalformedConnection {
  readonly name: string;
  readonly body: unknown;
  readonly error: string;
}

/** A file of the notebook that could not be read as it should. The notebook opens all the same. */
export interface FileProblem {
  readonly cellId: string;
  readonly file: string;
  readonly code: 'source_missing' | 'source_not_utf8' | 'source_unreadable';
  readonly message: string;
}

/** What a secret manager gave. It lives in memory alone: no file and no answer holds a value of it. */
export interface FetchedEnv {
  readonly env: Readonly<Record<string, string>>;
  readonly error: string | null;
  /** ISO 8601 in UTC, `Z`; null when nobody was asked. */
  readonly at: string | null;
}

export const nothingFetched: FetchedEnv = { env: {}, error: null, at: null };

export interface Notebook {
  readonly directory: string;
  /** What the notebook file held when it was last read or written here. */
  readonly text: string;
  readonly id: string;
  readonly name: string;
  /** ISO 8601 in UTC with microseconds, `+00:00`. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly worker: string | null;
  readonly timeout: number | null;
  /** Cells follow by themselves when something above them changes, as far as that is cheap. */
  readonly reactive: boolean;
  /** Cells are kept for their widgets as soon as somebody uses one. */
  readonly keepsWidgets: boolean;
  /** Every Python cell is stale after a change of packages, also one that could not notice it. */
  readonly strictPackages: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Fills what `env` leaves out or blank. */
  readonly fetched: FetchedEnv;
  readonly ai: AiConfig | null;
  readonly secretManager: SecretManagerConfig;
  readonly mounts: readonly Mount[];
  readonly workers: readonly WorkerSpec[];
  readonly connections: readonly Connection[];
  readonly malformedConnections: readonly MalformedConnection[];
  readonly catalogs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly r: Readonly<Record<string, unknown>>;
  readonly variantGroups: readonly VariantGroupEntry[];
  /** By `order`; cells of one order as they stand in the file. */
  readonly cells: readonly Cell[];
  readonly problems: readonly FileProblem[];
}

export const notebookFileName = 'notebook.toml';
export const cellsFolderName = 'cells';
