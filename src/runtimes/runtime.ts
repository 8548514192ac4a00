// What a language has to offer to run cells: one interface, whatever stands behind it. A job says all there is to know;
// a runtime knows neither notebooks nor HTTP. A job that was handed over is never run a second time.
import type { TraceFrame } from '../protocol/index.ts';
import type { SuggestedInstall } from '../suggestInstall.ts';
import type { Effects, ReadFile } from './effects.ts';
import type { RunSettings, Setting } from './settings.ts';

/** A value that another cell stored, and the cell reads. */
export interface InputFile {
  readonly contentType: string;
  readonly file: string;
  /** For `module/cell`: values that the lent module finds in its namespace. */
  readonly injected?: Readonly<Record<string, InputFile>>;
  /** For `sweep/dict`: one value for each variant, read as a mapping; there is no file. */
  readonly variants?: Readonly<Record<string, InputFile>>;
}

export interface KnownFile {
  readonly file: string;
  readonly sha256: string;
}

/** The declarations of a cell that other cells run again in place of a pickled function or class. */
export interface ModuleSlice {
  readonly moduleName: string;
  readonly kind: 'function' | 'async function' | 'class' | 'constant';
  readonly source: string;
  readonly provenanceHash: string | null;
  /** Name in the module → address of the artifact that it stands for. */
  readonly injected: Readonly<Record<string, string>>;
}

export interface Lender {
  readonly source: string;
  readonly stopsAt: readonly number[];
}

/** What a process needs to stand where the cell stands. */
export interface Place {
  readonly inputs: Readonly<Record<string, InputFile>>;
  /** Set over the runtime's own environment, before inputs are read. */
  readonly env: Readonly<Record<string, string>>;
  readonly workDir: string;
  readonly notebookDir: string;
}

export interface AmbientAccess {
  readonly url: string;
  readonly token: string;
  readonly promoteUrl: string;
  /** Name of an input → address of its artifact. */
  readonly inputs: Readonly<Record<string, string>>;
}

export interface Job extends Place {
  readonly cellId: string;
  readonly source: string;
  /** Variables to store; the others are only described. */
  readonly wanted: readonly string[];
  /** Stores every variable: whoever asked cannot know what others will read. */
  readonly storesAll?: boolean | undefined;
  /** Stores data that a cell which is yet to be written could read, up to this size together; the rest is described. */
  readonly keepsBytes?: number | undefined;
  /** Files with what variables held the last time, and their SHA-256: one that holds the same again is the same file. */
  readonly known?: Readonly<Record<string, KnownFile>> | undefined;
  /** Inputs that the cell visibly changes in place: they count as its own definitions. */
  readonly mutationDefines: readonly string[];
  readonly moduleSlices: Readonly<Record<string, ModuleSlice>>;
  /** Files that cells above have read, as results name them. */
  readonly readAbove?: (() => ReadonlySet<string>) | undefined;
  /** Modules of the notebook's own that a run elsewhere finds in its folder: path → text. */
  readonly localModules?: Readonly<Record<string, string>> | undefined;
  /** A variable that others read and that cannot be written down is kept as how it came about: they make it anew. */
  readonly remakes?: boolean | undefined;
  /** What cells above made of settings that cells share, by name. */
  readonly settings?: Readonly<Record<string, Setting>> | undefined;
  /** An empty folder of this run alone; it exists. */
  readonly outputDir: string;
  readonly timeoutSeconds: number | null;
  /** What set the limit, in words: `the cell's @timeout annotation`. */
  readonly timeoutLever: string;
  /** `cloudpickle` or `pickle`; with anything else storing objects fails. */
  readonly codec: string;
  /** An expression over the cell's names, evaluated after it ran; null when nobody asks. */
  readonly untilExpr: string | null;
  /** How the cell reaches the server that runs it; null where there is none. */
  readonly ambient: AmbientAccess | null;
  /** What its result will be kept under. */
  readonly key?: string | undefined;
  /** Tests of the cell: they are run in place of it, on a copy that runs for them. */
  readonly testSource: string | null;
  /** Where the cell may ask a person; undefined: nobody can answer it. Only Python cells of this machine ask. */
  readonly ask?: Ask | undefined;
  /** Lines of the source at which it stops and asks; needs `ask`. */
  readonly stopsAt?: readonly number[] | undefined;
  /** Cells above whose functions and classes it may call: their texts, where its errors show these, and lines to stop at as well. */
  readonly lenders?: Readonly<Record<string, Lender>> | undefined;
  /** Whether an editor may attach to it on a port of this machine, which others here can reach too; needs `ask`. */
  readonly attachesEditors?: boolean | undefined;
  /** Where the process of a failure is handed over, so that it can be looked into; needs `ask`. */
  readonly keptFailure?: { readonly mostBytes: number; take(process: KeptFailure): void } | undefined;
}

/** `signal`: the process is gone, and nobody waits for the answer. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

/** `line` and `secret`: what `input()` and `getpass()` ask for. `debug`: the next command of a debugger. */
export type Question =
  | { readonly kind: 'line' | 'secret'; readonly prompt: string }
  | {
      readonly kind: 'debug';
      readonly reason: 'breakpoint' | 'failure';
      /** What the command before it printed. */
      readonly said: string;
      /** The innermost is last; `at` is its number for the command `frame`. */
      readonly frames: readonly (TraceFrame & { readonly at: number })[];
      /** The frame that is looked at. */
      readonly at: number;
      readonly variables: readonly { readonly name: string; readonly type: string; readonly value: string }[];
      /** Null where no editor can attach; its address is null until somebody asks for one (the command `attach`). */
      readonly editor: { readonly address: string | null } | null;
    };

export type Answer =
  | { readonly text: string }
  | { readonly unanswered: 'cancelled' }
  | { readonly unanswered: 'timeout'; readonly seconds: number };

/** The process of a cell that failed: its run is over, and it goes on asking. */
export interface KeptFailure {
  close(): Promise<void>;
}

export interface TestOutcome {
  readonly name: string;
  readonly nodeid: string;
  readonly outcome: 'passed' | 'failed' | 'error' | 'skipped';
  readonly message: string;
}

export type ConsoleStream = 'stdout' | 'stderr';

export interface ConsoleEvent {
  readonly type: 'console';
  readonly stream: ConsoleStream;
  readonly text: string;
  /** What was missing of the whole when the run had ended. */
  readonly isRest?: boolean;
}

/** What a model writes, as it comes. `retry` begins anew and says why; `notice` speaks about the provider. */
export interface PromptEvent {
  readonly type: 'delta';
  readonly kind: 'delta' | 'retry' | 'notice';
  readonly attempt: number;
  readonly text: string;
}

/** What is known of a run on a worker before it ends. */
export interface RemoteEvent {
  readonly type: 'remote';
  readonly worker: string;
  readonly transport: string;
  readonly state: 'starting' | 'running';
  readonly position: number | null;
  readonly detail: string | null;
}

export type RunEvent = ConsoleEvent | PromptEvent | RemoteEvent;

/** A stored or described value, in the words of the wire. `file` lies in the job's output folder. */
export interface ValueRecord {
  readonly content_type: string;
  readonly file?: string | undefined;
  readonly bytes?: number | undefined;
  readonly sha256?: string | undefined;
  readonly rows?: number | undefined;
  readonly columns?: readonly string[] | undefined;
  /** How many of the last columns are its index. */
  readonly index_columns?: number | undefined;
  readonly codec?: string | undefined;
  readonly type?: string | undefined;
  readonly markdown_text?: string | null | undefined;
  readonly inline_data_url?: string | null | undefined;
  /** HTML, SVG, LaTeX, plain text or the JSON of a chart; null when it is too large to be sent along. */
  readonly inline_text?: string | null | undefined;
  readonly width?: number | null | undefined;
  readonly height?: number | null | undefined;
  readonly follows_theme?: true | undefined;
  /** The whole answer of a model. */
  readonly scalar?: string | undefined;
  /** What a prompt would show for an object that is stored pickled. */
  readonly text?: string | undefined;
  readonly error?: string | undefined;
  /** What it is, where it can neither be kept nor made anew by whoever reads it: `generator`. */
  readonly unkept?: string | undefined;
  readonly preview_truncated?: boolean | undefined;
  /** JSON whose numbers print as Python wrote them: `JSON.stringify` keeps 9007199254740993 and 1.0 as they are. */
  readonly preview?: unknown;
}

export interface CellError {
  readonly error_type: string;
  readonly message: string;
  readonly traceback: readonly TraceFrame[];
  /** What a terminal would show. */
  readonly text: string;
}

export interface MutationWarning {
  readonly var_name: string;
  readonly message: string;
  readonly suggestion: string | null;
}

/** died: the process ended, or could not start, without a result. */
export type Outcome = 'success' | 'error' | 'cancelled' | 'timeout' | 'died';

/** How a result came about, in the words of the wire. */
export type ExecutionMethod =
  | 'warm'
  | 'cold'
  | 'cached'
  | 'loop'
  | 'fanout'
  | 'sql'
  | 'llm'
  | 'widget'
  | 'executor'
  | 'error';

/** A run on a worker, for frames and records. */
export interface RemoteRun {
  readonly worker: string;
  readonly transport: string;
  readonly buildId?: string | undefined;
  readonly buildState?: string | undefined;
  readonly errorCode?: string | undefined;
}

/** The moment whose rows a query gave. */
export interface ReadMoment {
  readonly at: string;
  /** For how long it can be read again; null when nobody says. */
  readonly validUntil: string | null;
  /** Of tables in a lake: address → snapshot; null where the database itself goes back to the moment. */
  readonly tables: Readonly<Record<string, string | null>> | null;
}

export interface RunResult {
  readonly outcome: Outcome;
  readonly variables: Readonly<Record<string, ValueRecord>>;
  /** What each variable is an instance of, as `pandas.DataFrame`, where the language knows. */
  readonly types?: Readonly<Record<string, string>> | undefined;
  /** The same of what each small tuple holds. */
  readonly items?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly displays: readonly ValueRecord[];
  readonly stdout: string;
  readonly stderr: string;
  /** Null exactly when the outcome is `success`. */
  readonly error: CellError | null;
  /** A stable name for what went wrong, where there is one. */
  readonly errorCode?: string | undefined;
  readonly mutationWarnings: readonly MutationWarning[];
  /** Of a successful run in a language that can tell. */
  readonly effects?: Effects | undefined;
  /** Likewise. */
  readonly settings?: RunSettings | undefined;
  /** Installed packages that it could have noticed, with blanks between (`package_use.py`). */
  readonly packages?: string | undefined;
  readonly suggestInstall: SuggestedInstall | null;
  readonly durationMs: number;
  readonly executionMethod: ExecutionMethod;
  /** Of a job with tests; null when there is no pytest to run them with. */
  readonly tests?: readonly TestOutcome[] | null | undefined;
  /** How often a model was asked again for an answer that fits. */
  readonly validationRetries?: number | undefined;
  /** Of a query that reads what was there at a moment: ISO 8601 in UTC, and for how long that can be read again. */
  readonly snapshot?: ReadMoment | undefined;
  /** What the job's `untilExpr` came to. */
  readonly untilReached?: boolean | undefined;
  /** Where it ran, when not here. */
  readonly remote?: RemoteRun | undefined;
  /** Files of this machine that went there with it. */
  readonly taken?: readonly ReadFile[] | undefined;
  /** `cpython-3.13-linux-x86_64`; empty when the cell gave no result. */
  readonly buildEnv: string;
  /** What its process took at most, where that is known. */
  readonly peakBytes?: number | undefined;
}

export interface InspectAnswer {
  readonly ok: boolean;
  readonly result?: string | undefined;
  readonly type?: string | undefined;
  readonly error?: string | undefined;
  readonly stdout: string;
}

export interface Inspector {
  /** Answers in the order of the questions. */
  evaluate(expression: string): Promise<InspectAnswer>;
  close(): Promise<void>;
}

export interface SeenValue {
  readonly type: string;
  readonly columns?: readonly string[];
  /** Of a small tuple: the types of what it holds. */
  readonly items?: readonly string[];
}

/** What somebody who types wants to know. Lines count from 1; columns from 0, in code points. */
export interface CodeQuestion {
  readonly ask: 'complete' | 'help';
  readonly source: string;
  readonly line: number;
  readonly column: number;
  /** The values that the cell would read. */
  readonly inputs: Readonly<Record<string, InputFile>>;
  /** What is known of names whose values nobody stored, or which are too large to be read for this. */
  readonly sketches: Readonly<Record<string, SeenValue>>;
  /** Names of which nothing is known yet. */
  readonly awaited: readonly string[];
  /** The code of the cells above. */
  readonly above: string;
  /** For how long anybody waits. */
  readonly seconds: number;
}

export interface CodeAnswer {
  readonly items: readonly { readonly label: string; readonly kind: string }[];
  /** The column from which an item takes the place of what stands there. */
  readonly from: number;
  /** There are too many items to tell: a longer word may have others. Without items: it was not known in time. */
  readonly truncated: boolean;
  readonly signature: string | null;
  readonly text: string;
}

/** Where they lie; null where they are not installed. */
export interface TypingTools {
  readonly jediFolder: string | null;
  readonly languageServer: string | null;
}

export interface Completer {
  /** Undefined when its process has ended. Answers in the order of the questions. */
  ask(question: CodeQuestion): Promise<CodeAnswer | undefined>;
  /** Its process has ended: another has to be opened. */
  isOver(): boolean;
  close(): Promise<void>;
}

/** What is said over the comm of one widget, in the words of Jupyter's protocol; bytes in base64. */
export interface CommMessage {
  readonly model: string;
  readonly kind: 'comm_open' | 'comm_msg' | 'comm_close';
  readonly data: Readonly<Record<string, unknown>>;
  readonly buffers: readonly string[];
}

/** A cell that runs once more and stays for what people do with its widgets. */
export interface KeptJob extends Place {
  readonly cellId: string;
  readonly source: string;
  readonly settings: Readonly<Record<string, Setting>>;
  /** A process that takes more ends; null: it may take what it likes. */
  readonly mostBytes: number | null;
}

export type KeptAnswer =
  | { readonly messages: readonly CommMessage[]; readonly printed: string }
  /** Its process has ended: why, and what it printed last. */
  | { readonly gone: string; readonly printed: string };

export interface Keeper {
  /** All widgets as they are now. */
  state(): Promise<KeptAnswer>;
  /** What came of it. Answers in the order of the calls. */
  send(messages: readonly CommMessage[]): Promise<KeptAnswer>;
  close(): Promise<void>;
}

export interface Runtime {
  /** A cell with this source may come soon: gets ready for it. Resolves when that is over; rejects as `run` does. */
  warm(source: string): Promise<void>;
  /**
   * Resolves when the run is over and no code of it runs any more. Whatever the cell does ends in a result; it rejects,
   * with RuntimeUnavailable, only when no cell can run: the runtime was closed, or its user does not exist.
   */
  run(job: Job, onEvent: (event: ConsoleEvent) => void, signal: AbortSignal): Promise<RunResult>;
  /** Rejects with RuntimeUnavailable when no process can be had. */
  openInspector(place: Place): Promise<Inspector>;
  /** The same; also when the cell fails. Resolves when it has run. */
  openKeeper(job: KeptJob, signal: AbortSignal): Promise<Keeper>;
  openCompleter(place: Place, tools: TypingTools): Promise<Completer>;
  close(): Promise<void>;
}

export class RuntimeUnavailable extends Error {
  override name = 'RuntimeUnavailable';
}
