// Several processes of one kind behind one door. Requests wait in one line and go to whichever process is free; while all are
// busy and there is room, another gets ready beside them and nobody waits for it. After a quiet time they are let go.
import type { Engine } from './engine.ts';
import type { JsonObject } from './frames.ts';
import type { RequestOptions } from './job.ts';

export interface EnginePool extends Pick<Engine, 'request'> {
  readonly pids: readonly number[];
  /** Requests that came so far, and those that wait or are at work now. */
  readonly submitted: number;
  readonly waiting: number;
  readonly busy: number;
  readonly size: number;
  /** Has one process ready for requests that are about to come. */
  wake(): void;
  close(): Promise<void>;
}

export interface EnginePoolOptions {
  readonly size: number;
  readonly create: () => Engine;
  /** Loads what the requests need, so that the first of them does not wait for it. */
  readonly prepare: (engine: Engine) => Promise<unknown>;
  readonly idleMs: number;
}

interface Member {
  readonly engine: Engine;
  state: 'preparing' | 'free' | 'busy';
}

interface Waiting {
  run(engine: Engine): Promise<void>;
  fail(reason: unknown): void;
}

export function createEnginePool({ size, create, prepare, idleMs }: EnginePoolOptions): EnginePool {
  let members: Member[] = [];
  const line: Waiting[] = [];
  let idle: NodeJS.Timeout | undefined;
  let submitted = 0;

  function advance(): void {
    for (const member of members) if (member.state === 'free' && line.length > 0) void work(member);
    const coming = members.filter(({ state }) => state === 'preparing').length;
    if (line.length > coming && members.length < size) void join();
    if (line.length === 0 && members.every(({ state }) => state !== 'busy')) rest();
  }

  async function work(member: Member): Promise<void> {
    const next = line.shift();
    if (!next) return;
    member.state = 'busy';
    await next.run(member.engine);
    member.state = 'free';
    advance();
  }

  async function join(): Promise<void> {
    let member: Member | undefined;
    try {
      member = { engine: create(), state: 'preparing' };
      members.push(member);
      await prepare(member.engine);
      member.state = 'free';
    } catch (error) {
      members = members.filter((other) => other !== member);
      await member?.engine.close();
      // With nobody else at work, waiting would be in vain.
      if (members.length === 0) for (const { fail } of line.splice(0)) fail(error);
    }
    advance();
  }

  function rest(): void {
    clearTimeout(idle);
    idle = setTimeout(() => void letGo(), idleMs).unref();
  }

  async function letGo(): Promise<void> {
    clearTimeout(idle);
    const gone = members;
    members = [];
    await Promise.all(gone.map(({ engine }) => engine.close()));
  }

  return {
    size,
    get submitted() {
      return submitted;
    },
    get waiting() {
      return line.length;
    },
    get busy() {
      return members.filter(({ state }) => state === 'busy').length;
    },
    get pids() {
      return members.flatMap(({ engine }) => engine.pid ?? []);
    },
    wake() {
      if (members.length > 0) return;
      void join();
    },
    request<R>(op: string, params: JsonObject, options: RequestOptions<R>): Promise<R> {
      clearTimeout(idle);
      submitted += 1;
      const { promise, resolve, reject } = Promise.withResolvers<R>();
      const { signal } = options;
      const waiting: Waiting = {
        run: (engine) => {
          signal?.removeEventListener('abort', leave);
          return engine.request(op, params, options).then(resolve, reject);
        },
        fail: reject,
      };
      const leave = (): void => {
        const at = line.indexOf(waiting);
        if (at >= 0) line.splice(at, 1);
        reject(signal?.reason);
      };
      line.push(waiting);
      signal?.addEventListener('abort', leave, { once: true });
      advance();
      return promise;
    },
    async close() {
      for (const { fail } of line.splice(0)) fail(new Error('The processes were closed.'));
      await letGo();
    },
  };
}
