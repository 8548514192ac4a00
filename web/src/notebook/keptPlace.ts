// The cell that was chosen last in this tab: a page that is loaded again, or a server that comes back, leaves the reader there.
import type { Store } from '../state/index.ts';
import { tabKept } from '../ui/kept.ts';
import type { View, ViewEvent } from './view.ts';

const key = (path: string): string => `svc.place:${path}`;

export const keptPlace = (path: string): string | null => tabKept.getItem(key(path));

export function keepPlace(view: Store<View, ViewEvent>, path: string): () => void {
  let { selected } = view.get();
  return view.subscribe(() => {
    const now = view.get().selected;
    if (now === null || now === selected) return;
    selected = now;
    tabKept.setItem(key(path), now);
  });
}
