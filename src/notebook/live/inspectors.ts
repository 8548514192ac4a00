// A prompt on a cell's inputs, one process a cell, open until it is closed or the notebook is.
import type { Inspector, Place, Runtime } from '../../runtimes/index.ts';

export type InspectRequest =
  | { readonly type: 'inspect_open'; readonly payload: { readonly cell_id: string } }
  | { readonly type: 'inspect_close'; readonly payload: { readonly cell_id: string } }
  | { readonly type: 'inspect_eval'; readonly payload: { readonly cell_id: string; readonly expr: string } };

export interface Inspectors {
  answer(request: InspectRequest, place: () => Place): Promise<object>;
  close(): Promise<void>;
}

export function createInspectors(runtime: () => Runtime | undefined): Inspectors {
  const open = new Map<string, Inspector>();
  const opening = new Set<Promise<unknown>>();

  async function openOn(cellId: string, place: Place): Promise<object> {
    try {
      const running = runtime();
      if (!running)
        throw new Error(
          'No code can be run on this notebook: its environment is not ready, or this server runs no cells.',
        );
      const starting = running.openInspector(place);
      opening.add(starting);
      const opened = await starting.finally(() => opening.delete(starting));
      // Only now: another may have been opened meanwhile, and nobody else would close it.
      const before = open.get(cellId);
      open.set(cellId, opened);
      await before?.close();
      return { ok: true, result: 'ready', type: 'str' };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { ok: false, result: message, type: 'str', error: message };
    }
  }

  return {
    async answer(request, place) {
      const { cell_id } = request.payload;
      if (request.type === 'inspect_open') return { cell_id, action: 'open', ...(await openOn(cell_id, place())) };
      const inspector = open.get(cell_id);
      if (request.type === 'inspect_close') {
        open.delete(cell_id);
        await inspector?.close();
        return { cell_id, action: 'close', ok: true, result: 'closed' };
      }
      const { expr } = request.payload;
      const answer = inspector
        ? await inspector.evaluate(expr)
        : { ok: false, error: 'No inspect session open for this cell' };
      return { cell_id, action: 'eval', ...answer, expr };
    },
    async close() {
      // One that still starts would be closed by nobody.
      await Promise.allSettled(opening);
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map((inspector) => inspector.close()));
    },
  };
}
