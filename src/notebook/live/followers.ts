// Which cells follow by themselves when something above them has changed, and why others wait: one decision for widgets that
// are live and for notebooks that are reactive.
import type { SessionState, Waiting } from '../state/index.ts';

export interface Gate {
  /** A cell that took longer waits. */
  readonly cellMs: number;
  /** So does each one from which on all that follow took longer together. */
  readonly totalMs: number;
  /** Why it waits whatever it takes: what it does outside the notebook; null when nothing speaks against it. */
  readonly objection: (cellId: string) => Waiting | null;
  /** Whether a cell whose last duration nobody knows follows. */
  readonly takesUnknown: boolean;
}

/** Nobody waits longer for a slider. What a person called live runs whatever it does. */
export const liveGate: Gate = {
  cellMs: 30_000,
  totalMs: Number.POSITIVE_INFINITY,
  objection: () => null,
  takesUnknown: true,
};

export interface Following {
  /** In the order in which they were given. */
  readonly follow: readonly string[];
  readonly wait: ReadonlyMap<string, Waiting>;
}

export interface FollowParts {
  readonly session: SessionState;
  readonly lastDuration: (cellId: string) => number | undefined;
  /** Cells that are left out for another reason, and with them all that read from them. */
  readonly left?: ReadonlySet<string>;
}

/** `candidates`: cells that are not up to date, each after those that it reads from. */
export function following(candidates: readonly string[], gate: Gate, parts: FollowParts): Following {
  const { session, lastDuration, left = new Set<string>() } = parts;
  const wait = new Map<string, Waiting>();
  const follow: string[] = [];
  let total = 0;

  function reason(id: string): Waiting | null {
    const from = (session.graph.wires.get(id) ?? []).map((wire) => wire.from);
    if (left.has(id) || from.some((above) => wait.has(above) || left.has(above))) return { because: 'above' };
    const took = lastDuration(id);
    if (took === undefined && !gate.takesUnknown) return { because: 'unknown' };
    const objection = gate.objection(id);
    if (objection) return objection;
    if ((took ?? 0) > gate.cellMs) return { because: 'slow', duration_ms: took ?? 0 };
    total += took ?? 0;
    return total > gate.totalMs ? { because: 'together', duration_ms: total } : null;
  }

  for (const id of candidates) {
    const waits = reason(id);
    if (waits) wait.set(id, waits);
    else follow.push(id);
  }
  return { follow, wait };
}
