// Which cells a run takes, in which order, and how long that is likely to take.
import { settingMakers } from './settings.ts';
import type { SessionState } from './state.ts';

export interface Estimates {
  /** The last duration of a cell's own work, in milliseconds; undefined when it never ran. */
  lastDuration(cellId: string): number | undefined;
}

/** Every cell above the target that is not ready, then the target unless it is ready itself. */
export function cascadeTo(session: SessionState, target: string): string[] {
  const needed = new Set<string>();
  const open = [target];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (needed.has(id)) continue;
    needed.add(id);
    // Below a ready cell nothing needs to run: ready means that everything above it is current.
    if (id !== target && session.cells.get(id)?.status === 'ready') continue;
    for (const { from } of session.graph.wires.get(id) ?? []) open.push(from);
    open.push(...settingMakers(session, id));
  }
  const steps = session.graph.order.filter((id) => needed.has(id) && session.cells.get(id)?.status !== 'ready');
  if (session.makers.length === 0) return steps;
  // Settings go down the notebook: who makes them comes before who uses them.
  const chosen = new Set(steps);
  return arranged(
    session,
    [...session.facts.keys()].filter((id) => chosen.has(id)),
  );
}

/** Every cell that a value of this one comes from, and itself. */
export function above({ graph }: SessionState, target: string): Set<string> {
  const found = new Set<string>();
  const open = [target];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    for (const { from } of graph.wires.get(id) ?? []) open.push(from);
  }
  return found;
}

/** The same cells in their own order, except that each comes after those it waits for. */
export function arranged({ graph }: SessionState, cells: readonly string[]): string[] {
  const left = new Set(cells);
  const found: string[] = [];
  const place = (id: string): void => {
    // Taken out first, so that a cell is placed once.
    if (!left.delete(id)) return;
    for (const { from } of graph.wires.get(id) ?? []) place(from);
    found.push(id);
  };
  for (const id of cells) place(id);
  return found;
}

/** The cells that a value of this one reaches, in order of the graph. */
export function below(session: SessionState, start: string): string[] {
  const reached = new Set([start]);
  const found: string[] = [];
  for (const id of session.graph.order) {
    if (id === start || !(session.graph.wires.get(id) ?? []).some(({ from }) => reached.has(from))) continue;
    reached.add(id);
    found.push(id);
  }
  return found;
}

export const estimate = (cellIds: readonly string[], { lastDuration }: Estimates): number =>
  Math.round(cellIds.reduce((sum, id) => sum + (lastDuration(id) ?? 0), 0));
