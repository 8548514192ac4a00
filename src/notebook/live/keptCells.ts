// Cells whose processes are kept for their widgets: each runs once more, beside the result that is stored, and hears what people do
// with its controls. Nothing that happens there is stored. A process ends when nobody has used it for a while, when its cell is
// edited or run, and with the notebook.
import type { CommMessage, Keeper, KeptAnswer, KeptJob, Runtime } from '../../runtimes/index.ts';

export interface KeptLimits {
  /** What one process may take; null: no limit. */
  readonly bytes: number | null;
  readonly idleSeconds: number;
  /** How long one answer may take, and the run before the first. */
  readonly answerSeconds: number;
}

export type KeptRequest =
  | { readonly type: 'widgets_keep'; readonly payload: { readonly cell_id: string } }
  | { readonly type: 'widgets_release'; readonly payload: { readonly cell_id: string } }
  | {
      readonly type: 'widgets_send';
      readonly payload: { readonly cell_id: string; readonly messages: readonly CommMessage[] };
    };

export interface KeptCells {
  answer(request: KeptRequest, job: () => Omit<KeptJob, 'mostBytes'>): Promise<KeptRecord>;
  /** They were edited or have run: what is kept of them is of before. */
  end(cellIds: Iterable<string>, why: string): void;
  close(): Promise<void>;
}

/** More of one notebook are not kept: the one that was not used for longest goes. */
const most = 4;

/** What is answered, in the words of the wire. */
export interface KeptRecord {
  readonly cell_id: string;
  readonly kept: boolean;
  readonly messages: readonly CommMessage[];
  readonly printed: string;
  /** Why it is not kept, or not any more. */
  readonly reason?: string;
}

const gone = (cellId: string, reason: string, printed = ''): KeptRecord => ({
  cell_id: cellId,
  kept: false,
  messages: [],
  printed,
  reason,
});

interface Kept {
  readonly keeper: Promise<Keeper>;
  readonly stop: AbortController;
  idle: NodeJS.Timeout | undefined;
}

/** `tell`: whoever watches hears of an end, whoever asked for it. */
export function createKeptCells(
  runtime: () => Runtime | undefined,
  limits: KeptLimits,
  tell: (answer: KeptRecord) => void,
): KeptCells {
  const open = new Map<string, Kept>();
  /** Why the last one of a cell ended, for a page that goes on talking to it. */
  const ended = new Map<string, string>();
  /** Processes that are on their way out. */
  const closing = new Set<Promise<void>>();

  /** Told at once, whatever its process takes to end: an end that is heard late would end the next one. */
  function end(cellId: string, why: string): void {
    const kept = open.get(cellId);
    if (!kept) return;
    open.delete(cellId);
    ended.set(cellId, why);
    clearTimeout(kept.idle);
    kept.stop.abort();
    tell(gone(cellId, why));
    const closed = kept.keeper.then((keeper) => keeper.close()).catch(() => undefined);
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  function used(cellId: string, kept: Kept): void {
    clearTimeout(kept.idle);
    if (open.get(cellId) !== kept) return;
    // The last that was used stands last.
    open.delete(cellId);
    open.set(cellId, kept);
    const why = `nobody used its widgets for ${limits.idleSeconds} s`;
    kept.idle = setTimeout(() => end(cellId, why), limits.idleSeconds * 1000).unref();
  }

  function begin(cellId: string, job: Omit<KeptJob, 'mostBytes'>): Kept {
    const running = runtime();
    if (!running)
      throw new Error(
        'No code can be run on this notebook: its environment is not ready, or this server runs no cells.',
      );
    const stop = new AbortController();
    const kept: Kept = {
      keeper: running.openKeeper({ ...job, mostBytes: limits.bytes }, stop.signal),
      stop,
      idle: undefined,
    };
    open.set(cellId, kept);
    ended.delete(cellId);
    kept.keeper.catch(() => open.get(cellId) === kept && open.delete(cellId));
    const [oldest] = open.keys();
    if (open.size > most && oldest !== undefined) end(oldest, `more than ${most} cells of this notebook were kept`);
    return kept;
  }

  /** One that takes too long is ended: it would hold its page, and its memory, for ever. */
  async function inTime(cellId: string, kept: Kept, ask: (keeper: Keeper) => Promise<KeptAnswer>): Promise<KeptAnswer> {
    clearTimeout(kept.idle);
    const late = setTimeout(
      () => end(cellId, `it did not answer within ${limits.answerSeconds} s`),
      limits.answerSeconds * 1000,
    );
    try {
      return await ask(await kept.keeper);
    } finally {
      clearTimeout(late);
      used(cellId, kept);
    }
  }

  /** For whoever asked one that has ended meanwhile: where the next one has begun, that one is kept. */
  const over = (cellId: string, reason: string, printed = ''): KeptRecord =>
    open.has(cellId)
      ? { cell_id: cellId, kept: true, messages: [], printed }
      : gone(cellId, ended.get(cellId) ?? reason, printed);

  async function answered(
    cellId: string,
    kept: Kept,
    ask: (keeper: Keeper) => Promise<KeptAnswer>,
  ): Promise<KeptRecord> {
    try {
      const answer = await inTime(cellId, kept, ask);
      if ('messages' in answer) return { cell_id: cellId, kept: true, ...answer };
      if (open.get(cellId) === kept) end(cellId, answer.gone);
      return over(cellId, answer.gone, answer.printed);
    } catch (error) {
      return over(cellId, error instanceof Error ? error.message : String(error));
    }
  }

  return {
    async answer({ type, payload }, job) {
      const cellId = payload.cell_id;
      if (type === 'widgets_release') {
        end(cellId, 'it was let go');
        return gone(cellId, 'it was let go');
      }
      if (type === 'widgets_send') {
        const kept = open.get(cellId);
        if (!kept) return gone(cellId, ended.get(cellId) ?? 'it is not kept');
        return answered(cellId, kept, (keeper) => keeper.send(payload.messages));
      }
      try {
        return await answered(cellId, open.get(cellId) ?? begin(cellId, job()), (keeper) => keeper.state());
      } catch (error) {
        return gone(cellId, error instanceof Error ? error.message : String(error));
      }
    },
    end(cellIds, why) {
      for (const cellId of cellIds) end(cellId, why);
    },
    async close() {
      for (const cellId of [...open.keys()]) end(cellId, 'the notebook was closed');
      await Promise.all(closing);
    },
  };
}
