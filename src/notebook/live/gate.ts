// Whether a notebook may be changed or run now, told as a refusal. The decision about runs is one of the session's state.
import type { NotebookEnvironment } from '../../environments/index.ts';
import { type Refusal, refusals } from '../../errors/index.ts';
import { objectionToRun, type RunObjection, type SessionState } from '../state/index.ts';
import type { LiveNotebook, LiveParts } from './live.ts';

export interface GateParts extends Pick<LiveParts, 'hold' | 'isHere'> {
  readonly environment: Pick<NotebookEnvironment, 'blocksRuns' | 'job'>;
  readonly session: () => SessionState;
}

export function createGate(parts: GateParts): Pick<LiveNotebook, 'assertFree' | 'mayRun' | 'assertMayRun'> {
  const { environment, hold, isHere, session } = parts;

  const mayRun = (cellId: string | null): RunObjection | null =>
    objectionToRun(session(), { hold: hold(), hasDirectory: isHere(), environment: environment.blocksRuns() }, cellId);

  function refusalOf(objection: RunObjection): Refusal {
    switch (objection.type) {
      case 'held':
        return refusals.notebookQuiesced(objection.root, objection.secondsLeft);
      case 'noDirectory':
        return refusals.notebookDirectoryNotFound();
      case 'unknownCell':
        return refusals.cellUnknown(objection.cellId);
      case 'environment':
        return refusals.environmentBusy(environment.job(), objection.reason);
      case 'running':
        return refusals.notebookRunning(objection.cellId ?? '');
      case 'closed':
        return refusals.notebookClosing();
    }
  }

  return {
    mayRun,
    assertMayRun(cellId) {
      const objection = mayRun(cellId);
      if (objection) throw refusalOf(objection);
    },
    assertFree(what) {
      const held = hold();
      if (held && (what === 'run' || held.complete)) throw refusals.notebookQuiesced(held.root, held.secondsLeft);
      // What is typed or chosen would make a new directory where the notebook was moved away or deleted.
      if (!isHere()) throw refusals.notebookDirectoryNotFound();
    },
  };
}
