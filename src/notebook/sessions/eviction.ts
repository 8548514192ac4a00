// Which open sessions are to be closed to make room, and why. Sessions at work, or that somebody holds, are never chosen.

export type CloseReason = 'idle' | 'session_limit' | 'memory' | 'closed' | 'deleted' | 'shutdown';

export interface Candidate {
  readonly sessionId: string;
  /** When somebody last edited, ran or looked at a cell, in seconds. */
  readonly activeAt: number;
  /** A cell runs, an environment job is under way, a soft lock or a quiesce hold is held. */
  readonly busy: boolean;
}

export interface EvictionLimits {
  readonly ttlSeconds: number;
  readonly maxSessions: number;
  /** Close one more, the least recently used, when less than this is available; null: never. */
  readonly minAvailableBytes: number | null;
}

export interface Eviction {
  readonly sessionId: string;
  readonly reason: CloseReason;
}

/** `opening`: sessions about to be opened, for which room is made. */
export function chooseEvictions(
  candidates: readonly Candidate[],
  limits: EvictionLimits,
  now: number,
  options: { opening?: number; availableBytes?: number } = {},
): Eviction[] {
  const { opening = 0, availableBytes = Number.POSITIVE_INFINITY } = options;
  const free = candidates.filter(({ busy }) => !busy).sort((a, b) => a.activeAt - b.activeAt);
  const idle = free.filter(({ activeAt }) => now - activeAt >= limits.ttlSeconds);
  const rest = free.slice(idle.length);
  const surplus = Math.max(0, candidates.length - idle.length + opening - limits.maxSessions);
  const over = rest.slice(0, surplus);
  const short = limits.minAvailableBytes !== null && availableBytes < limits.minAvailableBytes;
  const pressed = short ? rest.slice(over.length, over.length + 1) : [];
  return [
    ...idle.map(({ sessionId }): Eviction => ({ sessionId, reason: 'idle' })),
    ...over.map(({ sessionId }): Eviction => ({ sessionId, reason: 'session_limit' })),
    ...pressed.map(({ sessionId }): Eviction => ({ sessionId, reason: 'memory' })),
  ];
}
