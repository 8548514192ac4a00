// Finds the session that an address names. Sessions end with the server, and a colleague has another; the notebook is then opened
// by its path, which the address carries or this browser remembers, under its new address.
import { useEffect, useState } from 'react';
import type { NotebookState } from '../../../src/protocol/index.ts';
import { ApiError, messageOf, openNotebook, readSessionOnce } from '../api/index.ts';
import { pathOfSession, remember } from '../recents.ts';
import { goInstead, keepPath, pathIn, withPath } from '../route.ts';
import { type NotebookSession, startSession } from './session.ts';

type Opening =
  | { readonly state: 'opening' }
  | { readonly state: 'open'; readonly session: NotebookSession }
  | { readonly state: 'failed'; readonly reason: string };

/** What this tab had open last: a server that was started again gives the same notebook under another session. */
let last: NotebookSession | undefined;

const before = ({ session_id, path }: NotebookState, isReadOnly: boolean): NotebookSession | undefined =>
  !isReadOnly && last?.sessionId !== session_id && last?.store.get().path === path ? last : undefined;

export function useSession(sessionId: string, hashOf: (sessionId: string) => string, isReadOnly: boolean): Opening {
  const [opening, setOpening] = useState<Opening>({ state: 'opening' });

  useEffect(() => {
    let isGone = false;
    let started: NotebookSession | undefined;
    async function start(): Promise<void> {
      const state = await readSessionOnce(sessionId).catch(async (error: unknown) => {
        const path = pathIn(window.location.hash) ?? pathOfSession(sessionId);
        // A shared server tells nobody of sessions by their ids (403): whoever opens the notebook again gets their own.
        const isUntold = error instanceof ApiError && (error.status === 404 || error.status === 403);
        if (!isUntold || path === undefined) throw error;
        return openNotebook(path);
      });
      if (isGone) return;
      remember({ sessionId: state.session_id, path: state.path, name: state.name });
      if (state.session_id !== sessionId) return goInstead(withPath(hashOf(state.session_id), state.path));
      keepPath(state.path);
      started = startSession(state, isReadOnly, before(state, isReadOnly));
      if (!isReadOnly) last = started;
      setOpening({ state: 'open', session: started });
    }
    start().catch((error: unknown) => {
      if (!isGone) setOpening({ state: 'failed', reason: messageOf(error) });
    });
    return () => {
      isGone = true;
      started?.close();
    };
  }, [sessionId, hashOf, isReadOnly]);

  return opening;
}
