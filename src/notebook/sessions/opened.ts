// What is open: a notebook, once, and the sessions through which people have it open. A session has an id, an owner and an idle
// time of its own; what is behind it (document, locks, runs, environment) is the same for everybody.
import type { JobRequest, NotebookEnvironment, StartedJob } from '../../environments/index.ts';
import type { Caller } from '../../identity/index.ts';
import type { HintReason } from '../../workers/index.ts';
import type { Connections } from '../connections/index.ts';
import type { Mount, Notebook } from '../document/index.ts';
import type { CellTests, LiveNotebook, Widgets } from '../live/index.ts';
import type { MountFound } from '../outside/index.ts';
import type { CloseReason } from './eviction.ts';
import type { JobQueue } from './jobQueue.ts';

/** An open notebook as each of its sessions offers it. */
export interface SharedNotebook {
  readonly live: LiveNotebook;
  readonly widgets: Widgets;
  readonly tests: CellTests;
  readonly connections: Connections;
  /** Whether a mount can be opened, and how much lies there. */
  testMount(mount: Mount, signal: AbortSignal): Promise<MountFound>;
  readonly environment: NotebookEnvironment;
  readonly workersPanel: 'shown' | 'hidden';
  /** Changes of the environment that wait for what runs. */
  readonly jobQueue: JobQueue;
  /** Starts an environment job; throws when the notebook is held still or something runs. */
  startJob(request: JobRequest): StartedJob;
  /** Tells whoever runs these cells that something may come. */
  hint(cellIds: readonly string[], reason: HintReason): void;
  /** Somebody who may run cells looks at the notebook: the next one that has to run here finds what it needs. */
  expectRun(): void;
  /** Changes what the notebook says of itself, and tells whoever watches. */
  configure(edit: (notebook: Notebook) => Promise<Notebook>): Promise<void>;
  /** Asks the secret manager of the notebook, if it has one, and tells whoever watches. */
  fetchEnv(): Promise<void>;
}

export interface OpenNotebook {
  readonly directory: string;
  readonly environment: NotebookEnvironment;
  /** Of everybody who has it open, the oldest first; one of whoever opened it is there from the beginning. */
  sessions(): readonly OpenSession[];
  /** One more session; `sessionId` of one that goes on here. */
  admit(caller: Caller, sessionId?: string): OpenSession;
  /** Ends one session of several; the others go on. */
  dismiss(session: OpenSession, reason: CloseReason): Promise<void>;
  /** False when its folder was deleted, whatever stands in its place now. */
  isThere(): Promise<boolean>;
  /** Ends what runs and tells whoever watches; nothing is written. */
  close(reason: CloseReason): Promise<void>;
  /** Puts away what a closed notebook has left in its folder. */
  putAway(): Promise<void>;
}

export interface OpenSession extends SharedNotebook {
  readonly sessionId: string;
  /** What is open, with everybody who has it open. */
  readonly notebook: OpenNotebook;
  /** Who opened it. */
  readonly caller: Caller;
  readonly principal: string | null;
  /** Undefined on a server that does not keep tenants apart. */
  readonly tenant: string | null | undefined;
  /** When its caller last edited, ran or looked around, or a run of theirs was over, in seconds. */
  readonly activeAt: number;
  /** Its caller edits, runs or looks around: the session is not idle. */
  touch(): void;
}
