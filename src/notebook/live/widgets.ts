// Widgets of an open notebook: a choice is kept, its cell takes the new values, and where the cell says `@live` what it feeds
// runs again, except what takes long or would bring more here than the server lets pass unasked. Choices that come while
// that runs are taken together, the last one last.
import { refusals } from '../../errors/index.ts';
import { coerced, type WidgetValues } from '../languages/index.ts';
import { below } from '../run/index.ts';
import type { CellRead } from './largeReads.ts';
import type { LiveNotebook } from './liveNotebook.ts';

/** Cells that take longer are left stale: nobody waits that long for a slider. */
const longestLiveRun = 30_000;

export interface Widgets {
  /** Undefined when another run holds the notebook; the choice is kept all the same. */
  choose(cellId: string, values: WidgetValues): Promise<WidgetUpdate | undefined>;
}

export interface WidgetUpdate {
  /** The cell, and what it feeds, have taken the choice. */
  readonly ended: Promise<void>;
}

export function createWidgets(live: LiveNotebook): Widgets {
  /** Widget cells whose update runs now, and whether there is something newer to run. */
  const updating = new Map<string, WidgetUpdate & { again: boolean }>();

  function update(cellId: string): WidgetUpdate {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const state = { again: false, ended };
    updating.set(cellId, state);
    resolve(followUp(cellId, state));
    return state;
  }

  async function followUp(cellId: string, state: { again: boolean }): Promise<void> {
    try {
      do {
        state.again = false;
        let left: readonly CellRead[] = [];
        await live.runner.runDown(cellId, async (signal) => {
          if (!isLive(cellId)) return [];
          left = await tooLarge(followers(cellId, []), signal);
          return followers(cellId, left);
        });
        live.heldBack(left);
      } while (state.again);
    } finally {
      updating.delete(cellId);
    }
  }

  const isLive = (cellId: string): boolean => live.shape().cells.get(cellId)?.directives.live ?? false;

  /** What nobody was asked about: a choice is no yes to a large read. */
  async function tooLarge(cells: readonly string[], signal: AbortSignal): Promise<readonly CellRead[]> {
    return (await live.reads.over({ cells, anew: new Set() }, signal))?.cells ?? [];
  }

  /** What ran before, is not too slow and reads not too much, down to the first that does. */
  function followers(cellId: string, reads: readonly CellRead[]): string[] {
    const session = live.session();
    const left = new Set(reads.map(({ cell_id }) => cell_id));
    for (const id of below(session, cellId)) {
      const { status } = session.cells.get(id) ?? { status: 'idle' };
      const isIn = (status === 'ready' || status === 'stale') && (live.lastDuration(id) ?? 0) <= longestLiveRun;
      const isBelowLeft = (session.graph.wires.get(id) ?? []).some(({ from }) => left.has(from));
      if (!isIn || isBelowLeft) left.add(id);
    }
    return below(session, cellId).filter((id) => !left.has(id));
  }

  return {
    async choose(cellId, values) {
      await live.choose(cellId, (shape) => {
        const widget = shape.cells.get(cellId)?.widget;
        if (!widget) throw refusals.notAWidget(cellId);
        const usable = coerced(widget.descriptors, values);
        if (Object.keys(usable).length === 0) throw refusals.noWidgetValues(widget.descriptors.map(({ name }) => name));
        return usable;
      });
      const running = updating.get(cellId);
      if (running) {
        running.again = true;
        return running;
      }
      return live.runner.active() ? undefined : update(cellId);
    },
  };
}
