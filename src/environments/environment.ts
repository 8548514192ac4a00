// The Python environment of one notebook, brought about by one job at a time that others can watch. Until the first job
// has ended it is pending; a failed job leaves what was there before usable.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { lockfileHash } from './lockHash.ts';
import { runUv } from './uv.ts';

export interface EnvironmentJob {
  readonly id: string;
  readonly action: 'sync';
  readonly command: string;
  readonly status: 'running' | 'completed' | 'failed';
  readonly started_at: number;
  readonly package: string | null;
  readonly phase: string;
  readonly duration_ms: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdout_truncated: boolean;
  readonly stderr_truncated: boolean;
  readonly finished_at: number | null;
  readonly lockfile_changed: boolean;
  readonly stale_cell_count: number;
  readonly stale_cell_ids: readonly string[];
  readonly error: string | null;
}

export interface EnvironmentState {
  readonly sync_state: 'pending' | 'ready' | 'failed';
  readonly sync_error: string | null;
  readonly lockfile_hash: string;
  readonly has_lockfile: boolean;
  readonly venv_python: string | null;
  readonly requested_python_version: string;
  readonly last_synced_at: number | null;
  readonly last_sync_duration_ms: number | null;
}

export interface NotebookEnvironment {
  state(): EnvironmentState;
  job(): EnvironmentJob | null;
  /** Starts a sync unless one runs; resolves when it has ended. */
  sync(): Promise<EnvironmentState>;
  /** Ends the job that runs, and resolves when it has ended. */
  close(): Promise<void>;
}

export interface EnvironmentOptions {
  readonly directory: string;
  readonly pythonVersion: string;
  /** The interpreter of that version, by its path, so that none is looked for. */
  readonly interpreter: string;
  readonly uv: () => Promise<string>;
  readonly onJob: (event: 'started' | 'progress' | 'finished', job: EnvironmentJob) => void;
}

const keptOutput = 12_000;

export async function openNotebookEnvironment(options: EnvironmentOptions): Promise<NotebookEnvironment> {
  const { directory, pythonVersion, interpreter, uv, onJob } = options;
  const venvPython = path.join(directory, '.venv/bin/python');
  const stop = new AbortController();
  let job: EnvironmentJob | null = null;
  let running: Promise<EnvironmentState> | undefined;
  let state: EnvironmentState = {
    sync_state: 'pending',
    sync_error: null,
    lockfile_hash: await lockfileHash(directory),
    has_lockfile: fs.existsSync(path.join(directory, 'uv.lock')),
    venv_python: null,
    requested_python_version: pythonVersion,
    last_synced_at: null,
    last_sync_duration_ms: null,
  };

  function update(event: 'started' | 'progress' | 'finished', change: Partial<EnvironmentJob>): void {
    if (!job) return;
    job = { ...job, ...change };
    onJob(event, job);
  }

  function append(stream: 'stdout' | 'stderr', text: string): void {
    if (!job) return;
    const whole = job[stream] + text;
    update('progress', { [stream]: whole.slice(0, keptOutput), [`${stream}_truncated`]: whole.length > keptOutput });
  }

  async function run(): Promise<EnvironmentState> {
    const before = await lockfileHash(directory);
    job = newJob(`uv sync --python ${pythonVersion}`);
    onJob('started', job);
    const problem = await syncOnce().catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    const after = await lockfileHash(directory);
    const there = fs.existsSync(venvPython);
    const finishedAt = Date.now();
    state = {
      ...state,
      sync_state: there ? 'ready' : 'failed',
      sync_error: problem ?? null,
      lockfile_hash: after,
      has_lockfile: fs.existsSync(path.join(directory, 'uv.lock')),
      venv_python: there ? venvPython : null,
      last_synced_at: finishedAt,
      last_sync_duration_ms: finishedAt - job.started_at,
    };
    update('finished', {
      status: problem === undefined ? 'completed' : 'failed',
      phase: problem === undefined ? 'completed' : 'failed',
      finished_at: finishedAt,
      duration_ms: finishedAt - job.started_at,
      lockfile_changed: before !== after,
      error: problem ?? null,
    });
    return state;
  }

  async function syncOnce(): Promise<string | undefined> {
    const program = await uv();
    const { code, stderr } = await runUv({
      uv: program,
      directory,
      args: ['sync', '--python', interpreter, '--no-install-project'],
      onOutput: append,
      signal: stop.signal,
    });
    return code === 0 ? undefined : `uv sync failed: ${stderr.trim()}`;
  }

  return {
    state: () => state,
    job: () => job,
    sync() {
      running ??= run().finally(() => {
        running = undefined;
      });
      return running;
    },
    async close() {
      stop.abort();
      await running?.catch(() => {});
    },
  };
}

function newJob(command: string): EnvironmentJob {
  return {
    id: randomUUID(),
    action: 'sync',
    command,
    status: 'running',
    started_at: Date.now(),
    package: null,
    phase: 'uv_running',
    duration_ms: null,
    stdout: '',
    stderr: '',
    stdout_truncated: false,
    stderr_truncated: false,
    finished_at: null,
    lockfile_changed: false,
    stale_cell_count: 0,
    stale_cell_ids: [],
    error: null,
  };
}
