// What is open, as it stands: the document, what it looks like once read, and the state of the session. Whatever changes it comes
// in turn.
import { type Notebook, sourceFilesOf } from '../document/index.ts';
import type { KeptResult } from '../run/index.ts';
import { type Shape, touchedBetween } from '../shape/index.ts';
import {
  type Advanced,
  type Applied,
  advance,
  apply,
  type CellFailure,
  emptySession,
  type Operation,
  type RunOperation,
  type SessionState,
} from '../state/index.ts';
import type { LiveParts } from './live.ts';

export interface Current {
  notebook(): Notebook;
  shape(): Shape;
  /** The document that the shape was made from: a run takes both, never a text under the digest of another. */
  shaped(): Notebook;
  session(): SessionState;
  apply(operation: Operation): Applied;
  advance(operation: RunOperation): Advanced;
  /** The document is another; nothing is read anew. */
  hold(notebook: Notebook): void;
  /** Reads the document anew; gives the cells that look different. */
  reshape(): Promise<readonly string[]>;
  /** Work in the order in which it came, each seeing what the one before left. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all that was asked for so far is done. */
  settled(): Promise<void>;
  /** Takes over what others wrote to the files of these cells. */
  catchUp(cellIds: Iterable<string>): Promise<void>;
}

export interface Kept {
  readonly results: ReadonlyMap<string, readonly KeptResult[]>;
  readonly errors: ReadonlyMap<string, CellFailure>;
  readonly handedOver: ReadonlyMap<string, string>;
}

export async function openCurrent(
  parts: Pick<LiveParts, 'notebook' | 'shapeOf' | 'catchUp'>,
  kept: Kept,
): Promise<Current> {
  const { shapeOf } = parts;
  let { notebook } = parts;
  let shape = await shapeOf(notebook);
  let shaped = notebook;
  const { facts, graph } = shape;
  let session = apply(emptySession, { type: 'shaped', facts, graph, touched: facts.keys() }).state;
  session = apply(session, { type: 'restored', ...kept }).state;
  let last: Promise<unknown> = Promise.resolve();

  function applied(operation: Operation): Applied {
    const outcome = apply(session, operation);
    session = outcome.state;
    return outcome;
  }

  return {
    notebook: () => notebook,
    shape: () => shape,
    shaped: () => shaped,
    session: () => session,
    apply: applied,
    advance(operation) {
      const advanced = advance(session, operation);
      session = advanced.state;
      return advanced;
    },
    hold(next) {
      notebook = next;
    },
    async reshape() {
      const from = notebook;
      const next = await shapeOf(from);
      const touched = touchedBetween(shape, next);
      shape = next;
      shaped = from;
      return applied({ type: 'shaped', facts: next.facts, graph: next.graph, touched }).changed;
    },
    inTurn(work) {
      const result = last.then(work, work);
      last = result.catch(() => {});
      return result;
    },
    async settled() {
      await last;
    },
    catchUp: (cellIds) => parts.catchUp(sourceFilesOf(notebook, cellIds)),
  };
}
