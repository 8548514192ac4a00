// What a page or a terminal knows of an open notebook: one plain value. The server's frames, answers and the person's typing
// are the only things that change it, through `reduce`.
import type { CellLanguage } from '../cellLanguages.ts';
import type {
  AiRecord,
  Causality,
  CellEffects,
  CellQuestion,
  CellRecord,
  CommentRecord,
  ConnectionRecord,
  DagRecord,
  Diagnostic,
  DisplayRecord,
  EnvironmentJob,
  JoinAdvice,
  MalformedConnectionRecord,
  MountRecord,
  NotebookState,
  ServerPayload,
  TraceFrame,
  VariantGroup,
} from '../protocol/index.ts';
import type { SuggestedInstall } from '../suggestInstall.ts';

export type WholeRun = 'notebook_run_all' | 'notebook_rerun_all';

export type CellStatus = CellRecord['status'];

/** What went wrong in a cell, with places to go to. */
export interface Problem {
  readonly type: string;
  readonly message: string;
  readonly frames: readonly TraceFrame[];
  readonly text: string;
  readonly install: SuggestedInstall | null;
}

export interface Widget {
  readonly descriptors: readonly {
    readonly name: string;
    readonly kind: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly default: unknown;
  }[];
  readonly values: Readonly<Record<string, unknown>>;
}

/** What a cell wrote to one stream until it wrote to the other. */
export interface Printed {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface CellModel {
  readonly id: string;
  /** As the server has it; what is being typed is in `drafts`. */
  readonly source: string;
  readonly testSource: string;
  readonly language: CellLanguage;
  readonly status: CellStatus;
  /** Nothing but functions, classes and what they need. */
  readonly isDefinitions: boolean;
  readonly defines: readonly string[];
  readonly references: readonly string[];
  readonly upstream: readonly string[];
  readonly downstream: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly shadowWarnings: readonly string[];
  /** Cells that it only works with as one: what it reads of them, or they of it, cannot be kept. */
  readonly toJoin: readonly JoinAdvice[];
  readonly causality: Causality | null;
  readonly displays: readonly DisplayRecord[];
  /** What it shows came with an imported notebook; it has not run here. */
  readonly isImported: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order in which they were heard. */
  readonly printed: readonly Printed[];
  readonly problem: Problem | null;
  readonly mutationWarnings: readonly string[];
  readonly cacheHit: boolean;
  readonly durationMs: number | null;
  /** When the run that is under way began, by this page's clock. */
  readonly startedAt: number | null;
  /** How long its last run took until it was cancelled, by this page's clock; null when it ended by itself. */
  readonly stoppedAfterMs: number | null;
  /** The text that ran last while this page was open. */
  readonly ranSource: string | null;
  readonly progress: { readonly done: number; readonly total: number; readonly word: string } | null;
  readonly worker: string | null;
  /** Where it is, while it runs on a worker. */
  readonly remote: RemotePlace | null;
  readonly timeout: number | null;
  readonly variantGroup: string | null;
  readonly variantName: string | null;
  readonly variantActive: boolean;
  readonly updatedBy: string | null;
  readonly artifactUris: Readonly<Record<string, string>>;
  /** What its last run touched beside its variables; null where nobody saw. */
  readonly effects: CellEffects | null;
  /** What it waits for somebody to answer. */
  readonly question: CellQuestion | null;
  readonly widget: Widget | null;
  readonly tests: ServerPayload<'cell_test_results'> | null;
}

export interface RemotePlace {
  readonly worker: string;
  readonly isRunning: boolean;
  /** In line there, from 1. */
  readonly position: number | null;
  /** In the worker's own words. */
  readonly detail: string | null;
}

/** Text that the server does not have yet. */
export interface Draft {
  readonly text: string;
  /** The server's text that it was made from. */
  readonly base: string;
  /** What was sent and not yet answered, the oldest first; each was made from the one before it. */
  readonly sent: readonly string[];
  /** Were under way when the connection broke; the server may have one of them. */
  readonly perhapsTaken: readonly string[];
  /** `isBusy`: the cell was running, and the text is sent again when it is not. */
  readonly refused: { readonly message: string; readonly heldBy: string | null; readonly isBusy: boolean } | null;
  /** Somebody else's text for the same cell, written meanwhile. */
  readonly theirs: string | null;
  /** The model that part of it is from. */
  readonly assistedBy?: string;
}

/** What is kept of a draft while no page is open. */
export type KeptDraft = Pick<Draft, 'text' | 'assistedBy'>;

export type Connection = 'connecting' | 'live' | 'offline' | 'closed';
export type Cascade = ServerPayload<'cascade_prompt'>;
export type Profile = ServerPayload<'profiling_summary'>;
export type Impact = ServerPayload<'impact_preview'>;

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: 'plain' | 'error';
  /** What can be done about it, by its id; null where there is nothing. */
  readonly command: string | null;
}

/** What an agent said about what it does. */
export interface AgentNote {
  readonly source: string;
  readonly text: string;
  readonly at: number;
}

/** What was written in a cell that is gone. */
export interface Orphan {
  readonly language: CellLanguage;
  readonly text: string;
  /** The cell that it was written in, and the server's text that it was made from: where the cell comes back, so does the text. */
  readonly from?: { readonly cellId: string; readonly base: string };
}

export interface NotebookModel {
  readonly loaded: boolean;
  /** Of the notebook, wherever its folder lies. */
  readonly id: string;
  readonly connection: Connection;
  readonly closed: { readonly reason: string; readonly message: string } | null;
  /** Number of the last frame; 0 right after connecting, when any number may come. */
  readonly lastSeq: number;
  /** A frame was missed: the state is to be asked for anew. */
  readonly needsSync: boolean;
  readonly name: string;
  readonly path: string;
  /** Where cells run that say nothing else; null for this machine. */
  readonly worker: string | null;
  readonly timeout: number | null;
  /** Cells follow by themselves, as far as that is cheap. */
  readonly reactive: boolean;
  /** Cells are kept for their widgets as soon as somebody uses one. */
  readonly keepsWidgets: boolean;
  /** Every Python cell is stale after a change of packages, also one that could not notice it. */
  readonly strictPackages: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the secret manager fills, and what it said when it could not. */
  readonly secrets: {
    readonly names: readonly string[];
    readonly problem: string | null;
    readonly config: Readonly<Record<string, string>>;
  };
  /** The model that the notebook names for itself. */
  readonly ai: AiRecord | null;
  readonly mounts: readonly MountRecord[];
  readonly connections: readonly ConnectionRecord[];
  readonly malformedConnections: readonly MalformedConnectionRecord[];
  readonly order: readonly string[];
  readonly cells: ReadonlyMap<string, CellModel>;
  readonly edges: DagRecord['edges'];
  readonly graphError: string | null;
  readonly variantGroups: readonly VariantGroup[];
  readonly environment: NotebookState['environment'];
  readonly job: EnvironmentJob | null;
  readonly jobHistory: readonly EnvironmentJob[];
  /** Changes of the environment that wait for what runs. */
  readonly jobQueue: ServerPayload<'environment_job_queue'>['jobs'];
  readonly drafts: ReadonlyMap<string, Draft>;
  /** Cells whose text was sent, in the order of the answers to come. */
  readonly sentOrder: readonly string[];
  /** Text whose cell was deleted by somebody else. */
  readonly orphans: readonly Orphan[];
  readonly presence: ServerPayload<'presence'>;
  readonly cursors: ServerPayload<'cursors'>['cursors'];
  /** Questions whether cells above may run, one for each cell that was asked for; the newest is last. */
  readonly cascades: readonly Cascade[];
  /** A run that waits until somebody agrees to what it would read. */
  readonly reads: ServerPayload<'read_confirm_prompt'> | null;
  /** Cells whose run was asked for while another one holds the notebook. */
  readonly queue: readonly string[];
  /** A run of all cells that begins when the environment is ready. */
  readonly waitingRun: WholeRun | null;
  /** Cells that ran or waited to run when the server was started again: nothing came of it. */
  readonly brokenOff: readonly string[];
  /** The cell that began to run last, which may have ended since. */
  readonly lastStarted: string | null;
  readonly runProgress: { readonly completed: number; readonly total: number } | null;
  readonly impact: Impact | null;
  readonly profile: Profile | null;
  readonly inspections: readonly ServerPayload<'inspect_result'>[];
  /** The last answers of processes that are kept for widgets. */
  readonly keptAnswers: readonly ServerPayload<'widgets_kept'>[];
  readonly notices: readonly Notice[];
  readonly agentNotes: readonly AgentNote[];
  /** What agents do in the notebook now, and did last. */
  readonly agents: ServerPayload<'agent_activity'>;
  /** What people said about cells; empty until it was read. */
  readonly comments: readonly CommentRecord[];
}

export const emptyModel: NotebookModel = {
  loaded: false,
  id: '',
  connection: 'connecting',
  closed: null,
  lastSeq: 0,
  needsSync: false,
  name: '',
  path: '',
  worker: null,
  timeout: null,
  reactive: false,
  keepsWidgets: false,
  strictPackages: false,
  env: {},
  secrets: { names: [], problem: null, config: {} },
  ai: null,
  mounts: [],
  connections: [],
  malformedConnections: [],
  order: [],
  cells: new Map(),
  edges: [],
  graphError: null,
  variantGroups: [],
  environment: { sync_state: 'pending' },
  job: null,
  jobHistory: [],
  jobQueue: [],
  drafts: new Map(),
  sentOrder: [],
  orphans: [],
  presence: { principals: [], you: '' },
  cursors: [],
  cascades: [],
  reads: null,
  queue: [],
  waitingRun: null,
  brokenOff: [],
  lastStarted: null,
  runProgress: null,
  impact: null,
  profile: null,
  inspections: [],
  keptAnswers: [],
  notices: [],
  agentNotes: [],
  agents: { acts: [], recent: [], stopped_by: null },
  comments: [],
};

/** What stands in the editor. */
export const textOf = (model: NotebookModel, cellId: string): string =>
  model.drafts.get(cellId)?.text ?? model.cells.get(cellId)?.source ?? '';
