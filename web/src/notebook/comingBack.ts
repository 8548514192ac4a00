// Sessions end with their server. When it is back, or another answers, the notebook is opened again and the page goes on there.
import { useCallback, useEffect } from 'react';
import { isSessionGone, openOrRead } from '../api/index.ts';
import { remember } from '../recents.ts';
import { goInstead } from '../route.ts';
import { useModel, useNotebook } from './context.ts';

/** A server that comes back is noticed soon. */
const lookMilliseconds = 1500;

/** Opens the notebook in a new session; what was typed meanwhile goes with it. */
export function useReopen(hashOf: (sessionId: string) => string): () => Promise<void> {
  const path = useModel((model) => model.path);
  return useCallback(async () => {
    const { state } = await openOrRead(path);
    remember({ sessionId: state.session_id, path, name: state.name });
    goInstead(hashOf(state.session_id));
  }, [path, hashOf]);
}

/** Looks for the server while it is away: one that died or was started again took the session with it. */
export function useComingBack(hashOf: (sessionId: string) => string): void {
  const { sessionId } = useNotebook();
  const reopen = useReopen(hashOf);
  const isAway = useModel(({ connection, closed }) =>
    closed ? closed.reason === 'shutdown' : connection === 'offline',
  );
  useEffect(() => {
    if (!isAway) return;
    const look = async () => {
      if (await isSessionGone(sessionId)) await reopen();
    };
    const timer = setInterval(() => void look().catch(() => {}), lookMilliseconds);
    return () => clearInterval(timer);
  }, [isAway, sessionId, reopen]);
}
