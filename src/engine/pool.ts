// Several processes of one kind behind one door: a request goes to the one with the least to do, a new one is started while
// all are busy and there is room, and after a quiet time they are let go.
import type { Engine } from './engine.ts';

export interface EnginePool extends Pick<Engine, 'request'> {
  readonly pids: readonly number[];
  /** Requests that were given to a process, and that wait or are at work now. */
  readonly submitted: number;
  readonly pending: number;
  readonly size: number;
  close(): Promise<void>;
}

export interface EnginePoolOptions {
  readonly size: number;
  readonly create: () => Engine;
  readonly idleMs: number;
}

interface Member {
  readonly engine: Engine;
  pending: number;
}

export function createEnginePool({ size, create, idleMs }: EnginePoolOptions): EnginePool {
  let members: Member[] = [];
  let idle: NodeJS.Timeout | undefined;
  let submitted = 0;

  function leastBusy(): Member {
    const free = members.toSorted((a, b) => a.pending - b.pending)[0];
    if (free && (free.pending === 0 || members.length >= size)) return free;
    const fresh = { engine: create(), pending: 0 };
    members.push(fresh);
    return fresh;
  }

  async function letGo(): Promise<void> {
    const gone = members;
    members = [];
    await Promise.all(gone.map(({ engine }) => engine.close()));
  }

  return {
    size,
    get submitted() {
      return submitted;
    },
    get pending() {
      return members.reduce((sum, member) => sum + member.pending, 0);
    },
    get pids() {
      return members.flatMap(({ engine }) => engine.pid ?? []);
    },
    async request(op, params, options) {
      clearTimeout(idle);
      const member = leastBusy();
      member.pending += 1;
      submitted += 1;
      try {
        return await member.engine.request(op, params, options);
      } finally {
        member.pending -= 1;
        if (members.every(({ pending }) => pending === 0)) idle = setTimeout(() => void letGo(), idleMs).unref();
      }
    },
    async close() {
      clearTimeout(idle);
      await letGo();
    },
  };
}
