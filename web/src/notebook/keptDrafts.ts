// What was typed and not yet taken by the server, in the browser's own storage: a crash, a reload or a closed laptop does not
// lose it.
import type { NotebookModel, Store, StoreEvent } from '../state/index.ts';

const key = (path: string): string => `svc.drafts:${path}`;
const pauseMilliseconds = 250;

export function keptDrafts(path: string): Record<string, string> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key(path)) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter(([, text]) => typeof text === 'string'));
  } catch {
    return {};
  }
}

export function keepDrafts(store: Store<NotebookModel, StoreEvent>, path: string): () => void {
  let { drafts } = store.get();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    timer = undefined;
    const texts = Object.fromEntries([...drafts].map(([id, { text }]) => [id, text]));
    if (drafts.size === 0) localStorage.removeItem(key(path));
    else localStorage.setItem(key(path), JSON.stringify(texts));
  };
  const unsubscribe = store.subscribe(() => {
    const now = store.get().drafts;
    if (now === drafts) return;
    drafts = now;
    timer ??= setTimeout(save, pauseMilliseconds);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
    save();
  };
}
