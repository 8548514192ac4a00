// The notebook as its runner sees it: each thing that a run asks for, from whoever has it.
import { kindOf } from '../../cellLanguages.ts';
import { bodyOf } from '../annotations/index.ts';
import { cellOf } from '../document/index.ts';
import { tellEvent } from './cellEvents.ts';
import type { CellInputs } from './cellInputs.ts';
import { lendersOf } from './cellWork.ts';
import type { LiveConsole } from './console.ts';
import type { Execution } from './execution.ts';
import type { FilesRead } from './filesRead.ts';
import type { Finder } from './finder.ts';
import type { RunHost } from './host.ts';
import type { KeptCells } from './keptCells.ts';
import type { KeptFailures } from './keptFailures.ts';
import type { LastRunNotes } from './lastRunNote.ts';
import type { LiveParts } from './live.ts';
import type { Questions } from './questions.ts';
import type { Remembered } from './remembered.ts';
import { tellRun } from './runRecord.ts';
import type { SupersededValues } from './superseded.ts';
import type { UnkeptValues } from './unkeptValues.ts';
import type { Whereabouts } from './whereabouts.ts';

export interface RunHostParts extends Pick<LiveParts, 'audience' | 'log' | 'onRan' | 'onRested'> {
  readonly remembered: Remembered;
  readonly console: LiveConsole;
  readonly whereabouts: Whereabouts;
  readonly inputs: CellInputs;
  readonly unkept: UnkeptValues;
  readonly filesRead: FilesRead;
  readonly execution: Execution;
  readonly finder: Finder;
  readonly superseded: SupersededValues;
  readonly lastRun: LastRunNotes;
  readonly questions: Questions;
  readonly failures: KeptFailures;
  readonly keptCells: Pick<KeptCells, 'end'>;
  /** Whether the process of a failed cell stays for whoever works on a page. */
  readonly keepsFailures: boolean;
  /** Whether an editor may attach to a cell that stopped, on a port of this machine. */
  readonly attachesEditors: boolean;
}

export function createRunHost(parts: RunHostParts): RunHost {
  const { audience, log, remembered, console, inputs, unkept, filesRead, execution, finder, superseded, lastRun } =
    parts;
  const { questions, failures, keptCells, whereabouts } = parts;
  const { current, results, history, imported, iterations } = remembered;
  const { directory } = current.notebook();
  const listeners = { audience, console, iterations, whereabouts };
  return {
    session: current.session,
    apply: current.apply,
    advance: current.advance,
    broadcast: (type, payload) => audience.broadcast(type, payload),
    findKept: (cellId, options) =>
      finder.find(cellId, { ...options, canAsk: questions.asker(cellId, options) !== undefined }),
    look: inputs.watching(execution.look),
    readsNothingFar: inputs.none,
    async execute(cellId, options) {
      console.begin(cellId);
      await superseded.settled();
      await failures.leave(cellId);
      const keepsFailure = options.keepsFailure || (parts.keepsFailures && options.stores === 'values');
      return execution.execute(cellId, {
        ...options,
        onEvent: (event) => tellEvent(listeners, cellId, event),
        ask: questions.asker(cellId, options),
        attachesEditors: parts.attachesEditors,
        keptFailure: keepsFailure ? failures.placeFor(cellId) : undefined,
      });
    },
    hasNothingToRun(cellId) {
      const { language, source } = cellOf(current.notebook(), cellId);
      const kind = kindOf(language);
      return kind === 'text' || (kind === 'request' ? bodyOf(source, language) : source).trim() === '';
    },
    mayStop: (cellId, { stopsAt = {} }) =>
      Object.keys(stopsAt).length > 0 &&
      [cellId, ...lendersOf(current.session(), current.shape(), cellId)].some((id) => stopsAt[id] !== undefined),
    effectsOf: finder.effectsOf,
    laneOf: execution.laneOf,
    catchUp: current.catchUp,
    lookAtFiles: filesRead.look,
    controls: finder.controls,
    cellOrder: () => current.notebook().cells.map(({ id }) => id),
    adviceFor: unkept.adviceFor,
    unkeptSeen: unkept.seen,
    async failed(cellId, failure) {
      await results.keepFailure(cellId, failure);
    },
    fault: (error) => log.warning('A run ended by a fault', { error, path: directory }),
    settled(outcome) {
      console.end(outcome.cellId);
      whereabouts.end(outcome.cellId);
      history.settled(outcome);
      lastRun.settled();
      if (outcome.executed !== null) keptCells.end([outcome.cellId], 'the cell was run again');
      parts.onRan(outcome);
      // What cannot be forgotten now is not shown either: the cell has something of its own.
      imported
        .forget(outcome.cellId)
        .catch((error) => log.warning('Imported outputs stay', { error, path: directory }));
    },
    rested(run) {
      tellRun(log, current.notebook().id, run);
      superseded.rested();
      parts.onRested();
    },
  };
}
