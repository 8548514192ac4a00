// Files on their way to the notebook, one after the other. They go on while their panel is closed, so they are the session's.

import { ApiError, messageOf, uploadFile } from '../api/index.ts';
import type { FileBeside } from '../filesBeside.ts';
import { createStore, type Store } from '../state/index.ts';
import { announce } from '../ui/index.ts';

export interface Upload {
  readonly id: number;
  readonly file: File;
  /** Where it goes, as cells name it. */
  readonly path: string;
  /** How much of it has been sent, from 0 to 1. */
  readonly part: number;
  /** `taken`: there is a file of that name, and nobody has said yet whether it may go. */
  readonly state: 'sending' | 'taken' | 'failed';
  readonly problem: string | null;
  /** For whoever thinks better of it. */
  readonly stop: AbortController;
}

interface Uploading {
  /** The folder that is looked at, and that new files go to. */
  readonly folder: string;
  readonly uploads: readonly Upload[];
  /** How often files came or went: whoever lists them looks again. */
  readonly changes: number;
}

type UploadEvent =
  | { readonly kind: 'entered'; readonly folder: string }
  | { readonly kind: 'added'; readonly upload: Upload }
  | { readonly kind: 'moved'; readonly id: number; readonly change: Partial<Upload> }
  | { readonly kind: 'gone'; readonly id: number }
  | { readonly kind: 'changed' };

export interface Uploads {
  readonly store: Store<Uploading, UploadEvent>;
  send(files: Iterable<File>): void;
  /** The same, each to a place of its own; folders on the way are made. */
  bring(files: readonly FileBeside[]): void;
  /** Sends one again whose name was taken. */
  replace(upload: Upload): void;
}

function reduce(state: Uploading, event: UploadEvent): Uploading {
  const { uploads } = state;
  switch (event.kind) {
    case 'entered':
      return { ...state, folder: event.folder };
    case 'added':
      return { ...state, uploads: [...uploads, event.upload] };
    case 'moved':
      return { ...state, uploads: uploads.map((one) => (one.id === event.id ? { ...one, ...event.change } : one)) };
    case 'gone':
      return { ...state, uploads: uploads.filter(({ id }) => id !== event.id) };
    case 'changed':
      return { ...state, changes: state.changes + 1 };
  }
}

export function createUploads(sessionId: string): Uploads {
  const store = createStore<Uploading, UploadEvent>({ folder: '', uploads: [], changes: 0 }, reduce);
  let last: Promise<void> = Promise.resolve();
  let count = 0;

  async function sendNow({ id, file, path, stop }: Upload, overwrite: boolean): Promise<void> {
    if (stop.signal.aborted) return;
    const moved = (change: Partial<Upload>) => store.send({ kind: 'moved', id, change });
    try {
      await uploadFile(sessionId, path, file, overwrite, (part) => moved({ part }), stop.signal);
      store.send({ kind: 'gone', id });
      store.send({ kind: 'changed' });
      announce(`${file.name} uploaded`);
    } catch (error) {
      const isTaken = error instanceof ApiError && error.code === 'file_exists';
      moved({ state: isTaken ? 'taken' : 'failed', problem: messageOf(error) });
    }
  }

  function inTurn(upload: Upload, overwrite: boolean): void {
    last = last.then(() => sendNow(upload, overwrite));
  }

  function bring(files: readonly FileBeside[]): void {
    for (const { path, file } of files) {
      count += 1;
      const id = count;
      const stop = new AbortController();
      stop.signal.addEventListener('abort', () => store.send({ kind: 'gone', id }));
      const upload: Upload = { id, file, path, part: 0, state: 'sending', problem: null, stop };
      store.send({ kind: 'added', upload });
      inTurn(upload, false);
    }
  }

  return {
    store,
    bring,
    send(files) {
      const { folder } = store.get();
      bring(Array.from(files, (file) => ({ path: folder === '' ? file.name : `${folder}/${file.name}`, file })));
    },
    replace(upload) {
      store.send({ kind: 'moved', id: upload.id, change: { state: 'sending', part: 0, problem: null } });
      inTurn(upload, true);
    },
  };
}
