// Stores by their folder, each opened once however many use it: two connections of one process that both want to write
// would wait for each other without end.
import { type ArtifactStore, openArtifactStore } from './store.ts';

export interface SharedStores {
  /** Every `open` is matched by a `close` of what it gave; the last one closes the store itself. */
  open(folder: string): Promise<ArtifactStore>;
}

export function createSharedStores(): SharedStores {
  const stores = new Map<string, { readonly opened: Promise<ArtifactStore>; users: number }>();
  return {
    async open(folder) {
      const shared = stores.get(folder) ?? { opened: openArtifactStore(folder), users: 0 };
      stores.set(folder, shared);
      shared.users += 1;
      const release = (): boolean => {
        shared.users -= 1;
        return shared.users === 0 && stores.delete(folder);
      };
      const store = await shared.opened.catch((error: unknown) => {
        release();
        throw error;
      });
      let closed = false;
      return {
        ...store,
        async close() {
          if (closed) return;
          closed = true;
          if (release()) await store.close();
        },
      };
    },
  };
}
