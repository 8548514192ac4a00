// The environment of an open notebook and the processes that run in it. They end when the environment changes, and others start
// in what it is then; whoever watches is told of its jobs.
import { couldNotice, type EnvironmentJob, type NotebookEnvironment } from '../../environments/index.ts';
import type { Runtime } from '../../runtimes/index.ts';
import { finishedPayload } from './environmentFacts.ts';
import type { Opening } from './opening.ts';
import type { NotebookAudience, SessionParts } from './sessionParts.ts';

export interface NotebookProcesses {
  readonly environment: NotebookEnvironment;
  /** Undefined while there is no interpreter to run cells with. */
  runtime(): Runtime | undefined;
  readonly r: ReturnType<SessionParts['startRProcesses']>;
  start(): void;
  /** A Python cell with this source may come soon: what it needs is loaded now, or once there is an interpreter. */
  expect(source: string): void;
  /** Ends those that run cells; the environment goes on. */
  close(): Promise<void>;
}

export async function openProcesses(
  parts: SessionParts,
  opening: Opening,
  audience: NotebookAudience,
  onJobEnded: () => void,
): Promise<NotebookProcesses> {
  const { directory } = opening;
  const r = parts.startRProcesses(directory);
  let runtime: Runtime | undefined;
  let expected: string | undefined;

  function expect(source: string): void {
    expected = source;
    // What goes wrong is told to the cell that comes.
    runtime?.warm(source).catch(() => {});
  }

  function start(): void {
    // Nobody would end a runtime that started after the notebook was closed.
    if (opening.isClosed()) return;
    const interpreter = environment.state().venv_python;
    runtime =
      interpreter === null ? undefined : parts.startRuntime(interpreter, directory, () => opening.notebook().cells);
    r.processes.resume();
    if (expected !== undefined) expect(expected);
  }

  async function tellFinished(job: EnvironmentJob, more: object): Promise<void> {
    const live = await opening.live;
    const { sync_state } = environment.state();
    const isNew = job.status === 'completed' || sync_state !== toldSync;
    toldSync = sync_state;
    audience.broadcast('environment_job_finished', { ...finishedPayload(environment, live, job, isNew), ...more });
    live.announce(job.stale_cell_ids);
  }

  /** As whoever watches knows it: a first job that fails ends the waiting too. */
  let toldSync: ReturnType<NotebookEnvironment['state']>['sync_state'] = 'pending';
  const environment = await parts.environments.open(directory, {
    isRunning: opening.isRunning,
    told(event, job, more) {
      if (event !== 'finished') audience.broadcast(`environment_job_${event}`, { environment_job: job });
      else if (!opening.isClosed())
        tellFinished(job, more)
          .catch((error: unknown) => parts.log.warning('After an environment job', { error }))
          .finally(onJobEnded);
    },
    async stopProcesses() {
      const before = runtime;
      runtime = undefined;
      await before?.close();
      await r.processes.rest();
    },
    beginChange() {
      const begun = opening.live.then((live) => live.beginPackageChange());
      return async (change) => (await begun)(change && ((used) => couldNotice(used, change)));
    },
    startProcesses: start,
  });
  toldSync = environment.state().sync_state;

  return {
    environment,
    r,
    runtime: () => runtime,
    start,
    expect,
    async close() {
      await runtime?.close();
      await r.processes.close();
    },
  };
}
