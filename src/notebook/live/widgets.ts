// Widgets of an open notebook: a choice is kept, its cell takes the new values, and where the cell says `@live` what it feeds
// runs again, except what takes long or would bring more here than the server lets pass unasked. In a reactive notebook what
// is cheap follows. Choices that come while that runs are taken together, the last one last.
import { refusals } from '../../errors/index.ts';
import { coerced, type WidgetValues } from '../languages/index.ts';
import { below } from '../state/index.ts';
import { following, liveGate } from './followers.ts';
import type { CellRead } from './largeReads.ts';
import type { LiveNotebook } from './liveNotebook.ts';
import { outdatedFrom, type Reactive } from './reactive.ts';

export interface Widgets {
  /** Undefined when another run holds the notebook; the choice is kept all the same. */
  choose(cellId: string, values: WidgetValues): Promise<WidgetUpdate | undefined>;
}

export interface WidgetUpdate {
  /** The cell, and what it feeds, have taken the choice. */
  readonly ended: Promise<void>;
}

export function createWidgets(live: LiveNotebook, reactive: Pick<Reactive, 'isOn' | 'choose'>): Widgets {
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
          if (!isLive(cellId)) return reactive.isOn() ? reactive.choose(outdatedBelow(cellId), signal) : [];
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
  function followers(cellId: string, reads: readonly CellRead[]): readonly string[] {
    const session = live.session();
    const hasRun = (id: string): boolean => /^(?:ready|stale)$/.test(session.cells.get(id)?.status ?? 'idle');
    const cells = below(session, cellId);
    const left = new Set([...reads.map(({ cell_id }) => cell_id), ...cells.filter((id) => !hasRun(id))]);
    return following(cells, liveGate, { session, lastDuration: live.lastDuration, left }).follow;
  }

  const outdatedBelow = (cellId: string): string[] =>
    outdatedFrom(live.session(), [cellId]).filter((id) => id !== cellId);

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
