// Finds the session that an address names. Sessions end with the server, and a colleague has another; the notebook is then opened
// by its path, which the address carries or this browser remembers, under its new address.
import { useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { NotebookState } from '../../../src/protocol/index.ts';
import { ApiError, messageOf, openOrRead, readSessionOnce } from '../api/index.ts';
import { pathOfSession, remember } from '../recents.ts';
import { goInstead, keepPath, pathIn, withPath } from '../route.ts';
import { type NotebookSession, startSession } from './session.ts';

type Opening =
  | { readonly state: 'opening' }
  | { readonly state: 'open'; readonly session: NotebookSession; readonly mayOnlyRead: boolean }
  | { readonly state: 'failed'; readonly reason: string };

/** What this tab had open last: a server that was started again gives the same notebook under another session. */
let last: NotebookSession | undefined;

const before = ({ session_id, path }: NotebookState, isReadOnly: boolean): NotebookSession | undefined =>
  !isReadOnly && last?.sessionId !== session_id && last?.store.get().path === path ? last : undefined;

/** Where the notebook of a session lies, as far as this browser knows. */
const pathOf = (sessionId: string): string | undefined => pathIn(window.location.hash) ?? pathOfSession(sessionId);

export function useSession(sessionId: string, hashOf: (sessionId: string) => string, isReadOnly: boolean): Opening {
  const [opening, setOpening] = useState<Opening>({ state: 'opening' });
  /** What the page shows; it is closed once, when another takes its place or the page goes. */
  const shown = useRef<NotebookSession | undefined>(undefined);
  const closeShown = useCallback(() => {
    shown.current?.close();
    shown.current = undefined;
  }, []);
  useEffect(() => closeShown, [closeShown]);

  useEffect(() => {
    let isGone = false;
    // The same notebook in another session, since the server was started again: one can go on writing until it is here.
    if (shown.current && shown.current.store.get().path !== pathOf(sessionId)) {
      closeShown();
      setOpening({ state: 'opening' });
    }
    async function start(): Promise<void> {
      const known = readSessionOnce(sessionId).then((state) => ({ state, mayOnlyRead: false }));
      const { state, mayOnlyRead } = await known.catch(async (error: unknown) => {
        const path = pathOf(sessionId);
        // A shared server tells nobody of sessions by their ids (403): whoever opens the notebook again gets their own.
        const isUntold = error instanceof ApiError && (error.status === 404 || error.status === 403);
        if (!isUntold || path === undefined) throw error;
        return openOrRead(path);
      });
      if (isGone) return;
      remember({ sessionId: state.session_id, path: state.path, name: state.name });
      if (state.session_id !== sessionId) return goInstead(withPath(hashOf(state.session_id), state.path));
      keepPath(state.path);
      // What was typed is kept when the one before is closed, and read when the next one starts.
      closeShown();
      const isReading = isReadOnly || mayOnlyRead;
      shown.current = startSession(state, isReading, before(state, isReading));
      if (!isReading) last = shown.current;
      const { current: session } = shown;
      // At once: what is typed into the editor of the session before would be lost from now on.
      flushSync(() => setOpening({ state: 'open', session, mayOnlyRead }));
    }
    start().catch((error: unknown) => {
      if (isGone) return;
      closeShown();
      setOpening({ state: 'failed', reason: messageOf(error) });
    });
    return () => {
      isGone = true;
    };
  }, [sessionId, hashOf, isReadOnly, closeShown]);

  return opening;
}
