// What opening a notebook takes, whoever opens it.
import type { NameSource, SharedStores } from '../../artifacts/index.ts';
import type { Analysis } from '../../engine/index.ts';
import type { Environments } from '../../environments/index.ts';
import type { NetworkPolicy } from '../../fetch/index.ts';
import type { Caller, RunTokens } from '../../identity/index.ts';
import type { Log } from '../../observability/index.ts';
import type { ModelUsage, Runtime } from '../../runtimes/index.ts';
import type { Catalog, Hints, Workers } from '../../workers/index.ts';
import type { Notebook } from '../document/index.ts';
import type { JavaScriptLanguageParts, PromptParts, RParts, SqlParts } from '../languages/index.ts';
import type { Audience, KeptLimits, QuestionLimits, ReactiveLimits, ReadLimits } from '../live/index.ts';
import type { RemoteMountParts } from '../outside/index.ts';
import type { SessionTables, TeamLink } from '../run/index.ts';
import type { CloseReason } from './eviction.ts';
import type { Holds } from './holds.ts';

/** Everybody who watches an open notebook, each through a session. */
export interface NotebookAudience extends Audience {
  /** From now on whoever comes to this session hears of the notebook. */
  admit(sessionId: string): void;
  /** Tells those of one session that it is over. */
  dismiss(sessionId: string, reason: CloseReason): void;
  /** The notebook is closed. */
  end(): void;
}

export interface SessionParts {
  readonly stores: SharedStores;
  readonly analysis: Analysis;
  readonly audienceFor: (openingId: string) => NotebookAudience;
  readonly environments: Environments;
  readonly startRuntime: (interpreter: string, directory: string, cells: () => Notebook['cells']) => Runtime;
  readonly holds: Holds;
  /** The folder of an open notebook was moved away or deleted. */
  readonly onGone: (directory: string) => void;
  readonly hasTenants: boolean;
  /** Where this process serves; null when it does not. */
  readonly address: () => string | null;
  readonly runTokens: Pick<RunTokens, 'mint'>;
  /** Where a caller's names are looked up; undefined where the server keeps none. */
  readonly registry: (caller: Caller) => NameSource | undefined;
  /** Tables, as far as a caller may reach them from a notebook in this folder. */
  readonly tables: (caller: () => Caller, directory: string) => SessionTables;
  /** Undefined where nobody else's results are asked for. */
  readonly team: TeamLink | undefined;
  /** Which addresses notebooks may reach. */
  readonly network: NetworkPolicy;
  /** Why a folder of this machine may not be mounted; null when it may. */
  readonly mountObjection: (place: string) => string | null;
  readonly prompt: PromptParts;
  /** A model answered a cell of this caller. */
  readonly onModelAnswer: (caller: Caller, usage: ModelUsage) => void;
  readonly r: Omit<RParts, 'mayRunHere' | 'outside' | 'remote' | 'processes' | 'user'>;
  readonly javascript: Omit<JavaScriptLanguageParts, 'mayRunHere' | 'outside' | 'user'>;
  readonly startRProcesses: (directory: string) => Pick<RParts, 'processes' | 'user'>;
  readonly mounts: Omit<RemoteMountParts, 'principal' | 'isElsewhere'>;
  readonly sql: Omit<SqlParts, 'principal' | 'objection' | 'mounts' | 'snapshots'>;
  readonly mayRunHere: boolean;
  /** Gives a folder that was made for cells to the account that runs them. */
  readonly lend: (folder: string) => Promise<void>;
  /** Whether cells have an account of their own. */
  readonly cellsRunAsOther: boolean;
  readonly workersPanel: 'shown' | 'hidden';
  readonly workers: Pick<Workers, 'run' | 'environmentOf' | 'slotsOf'>;
  readonly catalog: Catalog;
  readonly hints: Hints;
  readonly keepSuperseded: number;
  readonly lockSeconds: number;
  readonly questions: QuestionLimits;
  readonly readLimits: ReadLimits;
  readonly keptLimits: KeptLimits;
  readonly reactiveLimits: ReactiveLimits;
  /** `cloudpickle` or `pickle`; with anything else storing objects fails. */
  readonly codec: string;
  /** How many seconds a cell has for which nothing sets a limit; undefined for the usual. */
  readonly defaultTimeout: number | undefined;
  /** What workers are told of who runs cells. */
  readonly origin: 'notebook' | 'run';
  readonly log: Pick<Log, 'info' | 'warning'>;
  /** Seconds of a clock that only goes forward. */
  readonly now: () => number;
}
