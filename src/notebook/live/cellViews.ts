// What is told of the cells of an open notebook to whoever asks. Nothing here changes anything.
import type { CellRecord } from '../../protocol/index.ts';
import { type Cell, cellOf } from '../document/index.ts';
import { below, cascadeTo, estimate } from '../state/index.ts';
import type { CellInputs } from './cellInputs.ts';
import { cellRecordOf } from './cellRecord.ts';
import type { LiveConsole } from './console.ts';
import type { LiveNotebook, LiveParts } from './live.ts';
import type { Questions } from './questions.ts';
import type { Remembered } from './remembered.ts';
import { resultRecords } from './resultRecords.ts';
import { testedState } from './tested.ts';
import type { UnkeptValues } from './unkeptValues.ts';
import type { Whereabouts } from './whereabouts.ts';

export interface CellViewParts extends Pick<LiveParts, 'notes' | 'store'> {
  readonly remembered: Remembered;
  readonly console: LiveConsole;
  readonly whereabouts: Pick<Whereabouts, 'of'>;
  readonly inputs: CellInputs;
  readonly unkept: UnkeptValues;
  readonly questions: Questions;
}

export type CellViews = Pick<
  LiveNotebook,
  | 'cellRecord'
  | 'cellRecords'
  | 'dag'
  | 'iterations'
  | 'testResult'
  | 'shown'
  | 'imported'
  | 'results'
  | 'kept'
  | 'artifact'
  | 'blobPath'
  | 'storedBytes'
  | 'estimate'
  | 'impactOf'
  | 'totals'
  | 'lastDuration'
  | 'lastRun'
>;

export function createCellViews({
  remembered,
  notes,
  store,
  console,
  whereabouts,
  inputs,
  unkept,
  questions,
}: CellViewParts): CellViews {
  const { history, imported, iterations, results, shown } = remembered;
  const { notebook, session, shape } = remembered.current;

  const lastDuration = (cellId: string): number | undefined =>
    history.lastRun(cellId)?.durationMs ?? shown(cellId)?.durationMs;

  const recordOf = (cell: Cell): CellRecord =>
    cellRecordOf({
      notebook: notebook(),
      cell,
      shape: shape().cells.get(cell.id),
      state: session().cells.get(cell.id),
      shown: shown(cell.id),
      console: console.of(cell.id),
      whereabouts: whereabouts.of(cell.id),
      lastRun: history.lastRun(cell.id),
      note: notes.of(cell.id),
      imported: imported.of(cell.id),
      inputs: inputs.of(cell.id),
      toJoin: unkept.adviceFor(cell.id),
      question: questions.of(cell.id),
      tested: () => testedState({ notebook, session }, cell.id),
    });

  return {
    cellRecord: (cellId) => recordOf(cellOf(notebook(), cellId)),
    cellRecords: () => notebook().cells.map(recordOf),
    dag: () => shape().dag,
    async iterations(cellId, variable) {
      const carry = shape().cells.get(cellId)?.directives.loop?.carry || null;
      const asked = variable ?? carry;
      const records =
        carry === null || asked !== carry
          ? []
          : await iterations.records(cellId, session().cells.get(cellId)?.result?.iterations);
      return { variable: asked, records };
    },
    testResult: (cellId) => notes.of(cellId).test_result,
    shown,
    imported: (cellId) => imported.of(cellId)?.outputs,
    results: (cellId) => resultRecords(history.all(cellId), session().cells.get(cellId)?.result?.key),
    kept: results.load,
    artifact: store.get,
    blobPath: store.blobPath,
    storedBytes: store.totalBytes,
    estimate: (cellIds) => estimate(cellIds, { lastDuration }),
    impactOf: (cellId) => ({ above: cascadeTo(session(), cellId), below: below(session(), cellId) }),
    totals: history.totals,
    lastDuration,
    lastRun: history.lastRun,
  };
}
