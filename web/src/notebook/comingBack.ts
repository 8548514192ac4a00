// Sessions end with their server. When it is back, or another answers, the notebook is opened again and the page goes on there.
import { useCallback, useEffect } from 'react';
import { ApiError, discover, isSessionGone, openOrRead } from '../api/index.ts';
import { remember } from '../recents.ts';
import { goInstead, withPath } from '../route.ts';
import { useModel, useNotebook } from './context.ts';
import { carryDrafts } from './keptDrafts.ts';

/** A server that comes back is noticed soon. */
const lookMilliseconds = 1500;

/** Opens the notebook in a new session; what was typed meanwhile goes with it. */
export function useReopen(hashOf: (sessionId: string) => string): () => Promise<void> {
  const path = useModel((model) => model.path);
  const id = useModel((model) => model.id);
  return useCallback(async () => {
    const { state } = await openOrRead(path).catch(async (error: unknown) => {
      const moved = error instanceof ApiError && error.status === 404 ? await placeOf(id) : undefined;
      if (moved === undefined) throw error;
      carryDrafts(path, moved);
      return openOrRead(moved);
    });
    remember({ sessionId: state.session_id, path: state.path, name: state.name });
    goInstead(withPath(hashOf(state.session_id), state.path));
  }, [path, id, hashOf]);
}

/** Where a notebook lies now whose folder was moved. Of copies nobody knows which is meant. */
async function placeOf(id: string): Promise<string | undefined> {
  const found = (await discover()).notebooks.filter(({ notebook_id }) => notebook_id === id);
  return found.length === 1 ? found[0]?.path : undefined;
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
