// Widgets of an open notebook: a choice is kept, its cell takes the new values, and where the cell says `@live` what it feeds
// runs again, except what takes long or would bring more here than the server lets pass unasked. In a reactive notebook what
// is cheap follows. Choices that come while something runs, on whichever widgets, are taken together when it is over.
import { refusals } from '../../errors/index.ts';
import { coerced, type WidgetValues } from '../languages/index.ts';
import { below } from '../state/index.ts';
import { following, liveGate } from './followers.ts';
import type { CellRead } from './largeReads.ts';
import type { LiveNotebook } from './liveNotebook.ts';
import { outdatedFrom, type Reactive } from './reactive.ts';

export interface Widgets {
  /** Undefined when another run holds the notebook; the choice is kept all the same, and taken when that run is over. */
  choose(cellId: string, values: WidgetValues): Promise<WidgetUpdate | undefined>;
  /** A run is over. */
  rested(): void;
}

export interface WidgetUpdate {
  /** The cell, and what it feeds, have taken the choice. */
  readonly ended: Promise<void>;
}

export function createWidgets(live: LiveNotebook, reactive: Pick<Reactive, 'isOn' | 'choose'>): Widgets {
  /** Widget cells whose choices no run has taken yet, and the end of the run that will. */
  const chosen = new Set<string>();
  let next = Promise.withResolvers<void>();
  let isUpdating = false;

  async function update(): Promise<void> {
    isUpdating = true;
    while (chosen.size > 0 && !live.runner.active()) {
      const { promise, resolve } = next;
      const cellIds = [...chosen];
      chosen.clear();
      next = Promise.withResolvers<void>();
      resolve(followUp(cellIds));
      // Whoever waits for it hears of a fault; the run itself has told of it.
      await promise.catch(() => {});
    }
    isUpdating = false;
  }

  async function followUp(cellIds: readonly string[]): Promise<void> {
    live.assertFree('run');
    let left: readonly CellRead[] = [];
    await live.runner.runDown(cellIds, async (ready, signal) => {
      const liveOnes = ready.filter(isLive);
      const others = reactive.isOn() ? outdatedBelow(ready.filter((id) => !isLive(id))) : [];
      left = await tooLarge(followers(liveOnes, []), signal);
      return [...new Set([...followers(liveOnes, left), ...(await reactive.choose(others, signal))])];
    });
    live.heldBack(left);
  }

  const isLive = (cellId: string): boolean => live.shape().cells.get(cellId)?.directives.live ?? false;

  /** What nobody was asked about: a choice is no yes to a large read. */
  async function tooLarge(cells: readonly string[], signal: AbortSignal): Promise<readonly CellRead[]> {
    return (await live.reads.over({ cells, anew: new Set() }, signal))?.cells ?? [];
  }

  /** What ran before, is not too slow and reads not too much, down to the first that does. */
  function followers(cellIds: readonly string[], reads: readonly CellRead[]): readonly string[] {
    const session = live.session();
    const hasRun = (id: string): boolean => /^(?:ready|stale|error)$/.test(session.cells.get(id)?.status ?? 'idle');
    const reached = new Set(cellIds.flatMap((id) => below(session, id)));
    const cells = session.graph.order.filter((id) => reached.has(id));
    const left = new Set([...reads.map(({ cell_id }) => cell_id), ...cells.filter((id) => !hasRun(id))]);
    return following(cells, liveGate, { session, lastDuration: live.lastDuration, left }).follow;
  }

  const outdatedBelow = (cellIds: readonly string[]): string[] =>
    outdatedFrom(live.session(), cellIds).filter((id) => !cellIds.includes(id));

  return {
    async choose(cellId, values) {
      await live.choose(cellId, (shape) => {
        const widget = shape.cells.get(cellId)?.widget;
        if (!widget) throw refusals.notAWidget(cellId);
        const usable = coerced(widget.descriptors, values);
        if (Object.keys(usable).length === 0) throw refusals.noWidgetValues(widget.descriptors.map(({ name }) => name));
        return usable;
      });
      chosen.add(cellId);
      const { promise: ended } = next;
      if (live.runner.active() && !isUpdating) return undefined;
      if (!isUpdating) void update();
      return { ended };
    },
    rested() {
      if (!isUpdating && chosen.size > 0) void update();
    },
  };
}
