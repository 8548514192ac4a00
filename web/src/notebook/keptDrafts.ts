// What was typed and not yet taken by the server, in the browser's own storage: a crash, a reload or a closed laptop does not
// lose it.
import type { KeptDraft, NotebookModel, Store, StoreEvent } from '../state/index.ts';
import { browserKept } from '../ui/kept.ts';

const key = (path: string): string => `svc.drafts:${path}`;
const pauseMilliseconds = 250;

export function keptDrafts(path: string): Record<string, KeptDraft> {
  try {
    const stored: unknown = JSON.parse(browserKept.getItem(key(path)) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(
      Object.entries(stored).filter((entry): entry is [string, KeptDraft] => isDraft(entry[1])),
    );
  } catch {
    return {};
  }
}

const isDraft = (value: unknown): value is KeptDraft =>
  typeof value === 'object' &&
  value !== null &&
  'text' in value &&
  typeof value.text === 'string' &&
  (!('assistedBy' in value) || typeof value.assistedBy === 'string');

/** The notebook's folder has another path now: what was typed goes there with it. */
export function carryDrafts(from: string, to: string): void {
  const drafts = { ...keptDrafts(to), ...keptDrafts(from) };
  if (Object.keys(drafts).length === 0) return;
  browserKept.setItem(key(to), JSON.stringify(drafts));
  browserKept.removeItem(key(from));
}

export function keepDrafts(store: Store<NotebookModel, StoreEvent>, path: string): () => void {
  let { drafts } = store.get();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    timer = undefined;
    // Without a model's name the entry has none: what is undefined is not written.
    const kept = Object.fromEntries([...drafts].map(([id, { text, assistedBy }]) => [id, { text, assistedBy }]));
    if (drafts.size === 0) browserKept.removeItem(key(path));
    else browserKept.setItem(key(path), JSON.stringify(kept));
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
