// What the environment of a notebook offers to those who hold the notebook open, and what it asks of them.
import type { PackageChange } from './installed.ts';
import type { EnvironmentJob } from './jobs.ts';
import type { JobRequest } from './operations.ts';
import type { Dependency } from './projectFile.ts';
import type { REnvironment, RPackages } from './renv.ts';
import type { EnvironmentState } from './state.ts';

/**
 * Looks at every cell anew, and gives those that have no current result. Results of cells that could not notice the change
 * hold; undefined where nobody knows what it is.
 */
export type LookAgain = (change: PackageChange | undefined) => Promise<readonly string[]>;

/** Somebody who holds the notebook open. */
export interface EnvironmentWatcher {
  /** A cell runs or is about to. */
  isRunning(): boolean;
  /** `more`: what an import tells beside its job when it has finished. */
  told(event: 'started' | 'progress' | 'finished', job: EnvironmentJob, more: object): void;
  /** The processes of the environment that was; they are ended. */
  stopProcesses(): Promise<void>;
  /** Packages are about to be others. What it gives is called when they are. */
  beginChange(): LookAgain;
  startProcesses(): void;
}

export interface EnvironmentPayload {
  readonly environment: EnvironmentState;
  readonly environment_job: EnvironmentJob | null;
  readonly environment_job_history: readonly EnvironmentJob[];
  readonly dependencies: readonly Dependency[];
  readonly resolved_dependencies: readonly Dependency[];
  readonly r_environment: REnvironment;
}

export interface StartedJob {
  readonly job: EnvironmentJob;
  /** The job as it ended; it never rejects for what the job did. */
  readonly ended: Promise<EnvironmentJob>;
}

export interface NotebookEnvironment {
  state(): EnvironmentState;
  /** The job that runs, else the one that ended last. */
  job(): EnvironmentJob | null;
  isBusy(): boolean;
  /** Why no cell may run now, or null. */
  blocksRuns(): string | null;
  payload(): EnvironmentPayload;
  /** Declared requirements as they are written, in the order of the project file. */
  requirements(): readonly string[];
  rPackages(): Promise<RPackages>;
  /** Throws when a job or a cell runs. */
  start(request: JobRequest): StartedJob;
  /** Starts a sync, or joins the job that runs. */
  sync(): Promise<EnvironmentJob>;
  /** Resolves when the sync that is due or runs has ended; other jobs are not waited for. */
  synced(): Promise<void>;
  /** No job is started for now: what is there is used as it is. */
  leaveAlone(reason: string): void;
  /** False when no job runs, or when it has done its work and only tells of it. */
  cancel(): boolean;
  /** Waits for the job that runs, and cancels it when it has not ended in time. */
  rest(milliseconds: number): Promise<void>;
  /** Ends the job that runs, and resolves when it has ended. */
  close(): Promise<void>;
}
