// What each session of an open notebook offers, whoever has it.
import type { NotebookEnvironment } from '../../environments/index.ts';
import { resolveWorker } from '../annotations/index.ts';
import { createCellTests, createWidgets, toldState } from '../live/index.ts';
import { testMount } from '../outside/index.ts';
import { fetchEnv } from './fetchedEnv.ts';
import type { JobQueue } from './jobQueue.ts';
import type { SharedNotebook } from './opened.ts';
import type { Opening } from './opening.ts';
import type { OpenedLive } from './openLive.ts';
import type { People } from './people.ts';
import type { NotebookAudience, SessionParts } from './sessionParts.ts';

export interface SharedParts extends OpenedLive {
  readonly opening: Opening;
  readonly audience: NotebookAudience;
  readonly people: People;
  readonly environment: NotebookEnvironment;
  readonly jobQueue: JobQueue;
}

/** Whoever watches is told what the notebook is now. */
export function tellWatchers({ people, audience }: Pick<SharedParts, 'people' | 'audience'>): void {
  const [first] = people.sessions();
  if (first) audience.broadcast('notebook_state', toldState(first));
}

export function shareNotebook(parts: SessionParts, its: SharedParts): SharedNotebook {
  const { opening, audience, people, environment, live, reactive, connections } = its;
  const shared: SharedNotebook = {
    live,
    widgets: createWidgets(live, reactive),
    connections,
    testMount: (mount, signal) =>
      testMount(
        { ...parts.mounts, principal: () => people.caller().principal, objection: parts.mountObjection },
        mount,
        live.notebook(),
        signal,
      ),
    tests: createCellTests({
      live,
      broadcast: (type, payload) => audience.broadcast(type, payload),
      async installPytest() {
        const job = await shared.startJob({ action: 'add', requirements: ['pytest'], forTests: true }).ended;
        return job.status === 'completed';
      },
    }),
    environment,
    jobQueue: its.jobQueue,
    workersPanel: parts.workersPanel,
    startJob(request) {
      live.assertFree('run');
      people.session()?.touch();
      return environment.start(request);
    },
    hint(cellIds, reason) {
      const now = live.notebook();
      const workers = cellIds.flatMap((id) => {
        const cell = now.cells.find((one) => one.id === id);
        const directives = live.shape().cells.get(id)?.directives;
        return cell && directives ? resolveWorker(directives, cell, now).value : [];
      });
      for (const worker of new Set(workers)) parts.hints.give(opening.id, now, worker, reason);
    },
    async configure(edit) {
      await live.change(edit);
      tellWatchers(its);
    },
    async fetchEnv() {
      await live.refresh(await fetchEnv(live.notebook(), parts.sql.serverEnv));
      tellWatchers(its);
    },
  };
  return shared;
}
