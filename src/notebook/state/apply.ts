// The one function that changes a session: (state, operation) → next state and the cells that look different now. It does
// no input or output and keeps no clock, so everything about staleness is tested without a process or a file.
import { makersIn, makesOtherSettings, settingsUsers } from './settings.ts';
import { settle } from './settle.ts';
import {
  type Causality,
  type CellFacts,
  type CellFailure,
  type CellResult,
  type CellState,
  type Graph,
  type SessionState,
  unknownCell,
  type Waiting,
} from './state.ts';

export type Operation =
  /** The document was read, edited or rewired; `touched` are the cells whose facts or wires may differ. */
  | {
      readonly type: 'shaped';
      readonly facts: ReadonlyMap<string, CellFacts>;
      readonly graph: Graph;
      readonly touched: Iterable<string>;
    }
  /** Results and failures kept from earlier sessions. */
  | {
      readonly type: 'restored';
      readonly results: ReadonlyMap<string, readonly CellResult[]>;
      readonly errors: ReadonlyMap<string, CellFailure>;
      readonly handedOver?: ReadonlyMap<string, string>;
    }
  /** A deleted cell is about to come back, as it was; the next shape decides what holds of it now. */
  | { readonly type: 'returned'; readonly cellId: string; readonly cell: CellState }
  /** What a cell reads from outside the notebook was looked at. */
  | { readonly type: 'looked'; readonly cellId: string; readonly asked: string; readonly digest: string }
  /** Files that results have read were looked at. */
  | { readonly type: 'filesSeen'; readonly files: ReadonlyMap<string, string> }
  /** A stale cell was left out of a run because it would bring this many bytes here. */
  | { readonly type: 'heldBack'; readonly cellId: string; readonly bytes: number }
  /** A cell did not follow by itself. */
  | { readonly type: 'waits'; readonly cellId: string; readonly waits: Waiting }
  /** Results that are there, once more under the keys that their cells have now. */
  | { readonly type: 'carried'; readonly results: readonly { readonly cellId: string; readonly result: CellResult }[] }
  /** Results that are kept no longer. No cell shows one of them. */
  | { readonly type: 'forgotten'; readonly results: readonly { readonly cellId: string; readonly key: string }[] }
  | { readonly type: 'started'; readonly cellId: string }
  | { readonly type: 'finished'; readonly cellId: string; readonly result: CellResult }
  | { readonly type: 'failed'; readonly cellId: string; readonly failure: CellFailure }
  /** Ended without a result or a failure: cancelled. */
  | { readonly type: 'stopped'; readonly cellId: string };

export interface Applied {
  readonly state: SessionState;
  readonly changed: readonly string[];
}

export function apply(state: SessionState, operation: Operation): Applied {
  switch (operation.type) {
    case 'shaped': {
      const cells = new Map<string, CellState>();
      for (const id of operation.facts.keys()) cells.set(id, state.cells.get(id) ?? unknownCell);
      const left = leaveGraph(cells, operation.graph);
      const shaped = { ...state, facts: operation.facts, graph: operation.graph, cells };
      const makers = state.makers.length === 0 ? state.makers : makersIn(shaped);
      // Who stands below whom may be another matter now.
      const isMoved = makers.length > 0 && !sameOrder(state.facts, operation.facts);
      const touched = isMoved || makers.length < state.makers.length ? operation.graph.order : operation.touched;
      const next = settled({ ...shaped, makers }, touched);
      return { ...next, changed: [...left, ...next.changed] };
    }
    case 'restored': {
      const results = new Map<string, ReadonlyMap<string, CellResult>>();
      for (const [id, kept] of operation.results) results.set(id, new Map(kept.map((result) => [result.key, result])));
      const cells = new Map(state.cells);
      for (const [id, cell] of cells) {
        // The newest kept result is what the cell last showed, current or not.
        const newest = operation.results.get(id)?.at(-1) ?? null;
        cells.set(id, { ...cell, result: newest, error: operation.errors.get(id) ?? null });
      }
      const { handedOver = state.handedOver } = operation;
      const makers = makersIn({ facts: state.facts, cells });
      return settled({ ...state, results, cells, handedOver, makers }, state.graph.order);
    }
    case 'returned':
      return { state: withCell(state, operation.cellId, () => operation.cell), changed: [] };
    case 'looked': {
      const { cellId, asked, digest } = operation;
      const before = state.outside.get(cellId);
      if (before?.asked === asked && before.digest === digest) return { state, changed: [] };
      return settled({ ...state, outside: new Map(state.outside).set(cellId, { asked, digest }) }, [cellId]);
    }
    case 'filesSeen': {
      const others = [...operation.files].filter(([file, print]) => state.files.get(file) !== print);
      if (others.length === 0) return { state, changed: [] };
      const files = new Map([...state.files, ...others]);
      return settled({ ...state, files }, readersOf(state, new Set(others.map(([file]) => file))));
    }
    case 'heldBack': {
      const { cellId, bytes } = operation;
      const cell = state.cells.get(cellId);
      if (cell?.status !== 'stale') return { state, changed: [] };
      const causes = cell.causality?.details.filter(({ type }) => type !== 'large_read') ?? [];
      const causality: Causality = { reason: 'upstream', details: [{ type: 'large_read', bytes }, ...causes] };
      return changedCell(state, cellId, (before) => ({ ...before, causality }));
    }
    case 'waits': {
      const { cellId, waits } = operation;
      const cell = state.cells.get(cellId);
      if (!cell?.causality || cell.current || cell.status === 'running') return { state, changed: [] };
      const causality = { ...cell.causality, waits };
      return changedCell(state, cellId, (before) => ({ ...before, causality }));
    }
    case 'forgotten': {
      const results = new Map(state.results);
      for (const { cellId, key } of operation.results) {
        const kept = new Map(results.get(cellId));
        if (kept.delete(key)) results.set(cellId, kept);
      }
      return { state: { ...state, results }, changed: [] };
    }
    case 'carried': {
      const results = new Map(state.results);
      for (const { cellId, result } of operation.results)
        results.set(cellId, new Map([...(results.get(cellId) ?? []), [result.key, result]]));
      return settled(
        { ...state, results },
        operation.results.map(({ cellId }) => cellId),
      );
    }
    case 'started':
      return changedCell(state, operation.cellId, (cell) => ({ ...cell, status: 'running' }));
    case 'finished': {
      const { cellId, result } = operation;
      const kept = new Map(state.results.get(cellId));
      kept.delete(result.key);
      kept.set(result.key, result);
      const next = withCell({ ...state, results: new Map(state.results).set(cellId, kept) }, cellId, (cell) => ({
        ...cell,
        status: 'idle',
        current: false,
        result,
        error: null,
      }));
      // Cells above go on to hold, whatever it made of their files.
      const above = readersOf(state, new Set(Object.keys(result.wrote ?? {})));
      return settledAfterRun(next, cellId, state.cells.get(cellId), above);
    }
    case 'failed': {
      const { cellId, failure } = operation;
      return settledAfterRun(
        withCell(state, cellId, (cell) => ({ ...cell, status: 'idle', current: false, error: failure })),
        cellId,
        state.cells.get(cellId),
      );
    }
    case 'stopped':
      return settledAfterRun(
        withCell(state, operation.cellId, (cell) => ({ ...cell, status: 'idle', current: false })),
        operation.cellId,
        state.cells.get(operation.cellId),
      );
  }
}

/** Cells of which some result has read one of these files. */
function readersOf({ results }: SessionState, files: ReadonlySet<string>): string[] {
  const hasRead = ({ files: read = {} }: CellResult): boolean => Object.keys(read).some((file) => files.has(file));
  return [...results].filter(([, kept]) => kept.values().some(hasRead)).map(([id]) => id);
}

/** Cells that no longer take part (a cycle, a variant that was switched off) are not current, and nothing decides more. */
function leaveGraph(cells: Map<string, CellState>, { order }: Graph): string[] {
  const inGraph = new Set(order);
  const left = [...cells].filter(([id, { status, current }]) => !inGraph.has(id) && (current || status === 'stale'));
  const leaving = left.filter(([, { status }]) => status !== 'running');
  for (const [id, cell] of leaving) {
    cells.set(id, { ...cell, status: 'idle', current: false, reasons: [], causality: null });
  }
  return leaving.map(([id]) => id);
}

function sameOrder(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): boolean {
  if (before.size !== after.size) return false;
  const other = after.keys();
  return before.keys().every((id) => id === other.next().value);
}

function settled(state: SessionState, touched: Iterable<string>): Applied {
  const { cells, makers, changed } = settle(state, touched);
  return { state: { ...state, cells, makers }, changed };
}

/** The cell that ran is always among the changed ones; what it gave may have changed for every reader. */
function settledAfterRun(
  state: SessionState,
  cellId: string,
  before?: CellState,
  touched: readonly string[] = [],
): Applied {
  const after = state.cells.get(cellId);
  const setsOther = before !== undefined && after !== undefined && makesOtherSettings(before, after);
  const { state: next, changed } = settled(setsOther ? { ...state, makers: makersIn(state) } : state, [
    cellId,
    ...touched,
    ...(state.graph.downstream.get(cellId) ?? []),
    ...(setsOther ? settingsUsers(state) : []),
  ]);
  return { state: next, changed: changed.includes(cellId) ? changed : [cellId, ...changed] };
}

function changedCell(state: SessionState, id: string, change: (cell: CellState) => CellState): Applied {
  return { state: withCell(state, id, change), changed: [id] };
}

function withCell(state: SessionState, id: string, change: (cell: CellState) => CellState): SessionState {
  return { ...state, cells: new Map(state.cells).set(id, change(state.cells.get(id) ?? unknownCell)) };
}
