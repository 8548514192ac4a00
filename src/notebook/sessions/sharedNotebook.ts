// What each session of an open notebook offers, whoever has it.
import type { NotebookEnvironment } from '../../environments/index.ts';
import { localWorker, resolveWorker } from '../annotations/index.ts';
import type { Cell } from '../document/index.ts';
import { createCellTests, type LiveNotebook, toldState } from '../live/index.ts';
import { testMount } from '../outside/index.ts';
import { fetchEnv } from './fetchedEnv.ts';
import type { JobQueue } from './jobQueue.ts';
import type { NotebookProcesses } from './notebookProcesses.ts';
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
  readonly processes: Pick<NotebookProcesses, 'expect'>;
  readonly jobQueue: JobQueue;
}

/** Whoever watches is told what the notebook is now. */
export function tellWatchers({ people, audience }: Pick<SharedParts, 'people' | 'audience'>): void {
  const [first] = people.sessions();
  if (first) audience.broadcast('notebook_state', toldState(first));
}

export function shareNotebook(parts: SessionParts, its: SharedParts): SharedNotebook {
  const { opening, audience, people, environment, live, widgets, connections } = its;

  /** The first of them that runs here. */
  function expect(bound: readonly BoundCell[]): void {
    const here = bound.find(({ cell, worker }) => worker === localWorker && cell.language === 'python');
    if (here && parts.mayRunHere) its.processes.expect(here.cell.source);
  }

  const shared: SharedNotebook = {
    live,
    widgets,
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
      const bound = boundCells(live, cellIds);
      const workers = new Set(bound.map(({ worker }) => worker));
      for (const worker of workers) parts.hints.give(opening.id, live.notebook(), worker, reason);
      expect(bound);
    },
    expectRun() {
      const { graph, cells } = live.session();
      const waiting = graph.order.filter((id) => cells.get(id)?.status !== 'ready');
      expect(boundCells(live, waiting));
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

interface BoundCell {
  readonly cell: Cell;
  readonly worker: string;
}

/** Where these cells would run. */
function boundCells(live: LiveNotebook, cellIds: readonly string[]): BoundCell[] {
  const notebook = live.notebook();
  const cells = new Map(notebook.cells.map((cell) => [cell.id, cell]));
  return cellIds.flatMap((id) => {
    const cell = cells.get(id);
    const directives = live.shape().cells.get(id)?.directives;
    return cell && directives ? [{ cell, worker: resolveWorker(directives, cell, notebook).value }] : [];
  });
}
