// What people said about cells is read when the page opens, and again whenever it has been away; meanwhile each change is told.
import { readComments } from '../api/index.ts';
import type { NotebookModel, Store, StoreEvent } from '../state/index.ts';

export function followComments(sessionId: string, store: Store<NotebookModel, StoreEvent>): () => void {
  let connection = store.get().connection;
  const read = (): void =>
    void readComments(sessionId).then(
      ({ comments }) => store.send({ kind: 'commented', comments }),
      () => {}, // whoever opens them is told why
    );
  return store.subscribe(() => {
    const before = connection;
    connection = store.get().connection;
    if (connection === 'live' && before !== 'live') read();
  });
}
