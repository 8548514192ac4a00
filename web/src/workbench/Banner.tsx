// What must be known before going on: the session is closed, the connection is gone, the environment failed, text would be
// lost. Each says what to do next.

import { useCallback, useEffect, useState } from 'react';
import { usualLanguage } from '../../../src/cellLanguages.ts';
import { isSessionGone, messageOf, openNotebook, startJob } from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { addCell } from '../notebook/structure.ts';
import { remember } from '../recents.ts';
import { goInstead, notebookHash } from '../route.ts';
import { Button, Message } from '../ui/index.ts';

export function Banner() {
  const session = useNotebook();
  const closed = useModel((model) => model.closed);
  const connection = useModel((model) => model.connection);
  const environment = useModel((model) => model.environment);
  const graphError = useModel((model) => model.graphError);
  const orphans = useModel((model) => model.orphans);
  return (
    <div className="banners">
      {closed && <Closed reason={closed.reason} message={closed.message} />}
      {connection === 'offline' && !closed && <Offline />}
      {environment.sync_state === 'failed' && (
        <Message tone="error" action={<EnvironmentActions />}>
          The Python environment could not be prepared, so nothing can run.
        </Message>
      )}
      {environment.sync_state === 'ready' && typeof environment.sync_notice === 'string' && (
        <Message tone="stale" action={<EnvironmentActions />}>
          {environment.sync_notice}
        </Message>
      )}
      {graphError !== null && <Message tone="error">The cells depend on each other in a circle: {graphError}</Message>}
      {orphans.length > 0 && (
        <Message
          tone="stale"
          action={
            <>
              <Button
                onClick={() => {
                  for (const text of orphans) void addCell(session, null, usualLanguage, text);
                  session.store.send({ kind: 'dismissed', what: 'orphans' });
                }}
              >
                Bring it back
              </Button>
              <Button look="quiet" onClick={() => session.store.send({ kind: 'dismissed', what: 'orphans' })}>
                Discard
              </Button>
            </>
          }
        >
          A cell that you were editing was deleted elsewhere. Your text is kept.
        </Message>
      )}
    </div>
  );
}

/** A server that comes back is noticed soon. */
const lookMilliseconds = 1500;

/** Opens the notebook in a new session; what was typed meanwhile goes with it. */
function useReopen(): () => Promise<void> {
  const path = useModel((model) => model.path);
  return useCallback(async () => {
    const state = await openNotebook(path);
    remember({ sessionId: state.session_id, path, name: state.name });
    goInstead(notebookHash(state.session_id));
  }, [path]);
}

/** A server that died took the session with it: the connection would never come back by itself. */
function Offline() {
  const { sessionId } = useNotebook();
  const reopen = useReopen();
  useEffect(() => {
    const look = async () => {
      const isGone = await isSessionGone(sessionId);
      if (isGone) await reopen();
    };
    const timer = setInterval(() => void look().catch(() => {}), lookMilliseconds);
    return () => clearInterval(timer);
  }, [sessionId, reopen]);
  return (
    <Message tone="stale">
      Not connected. Go on writing: what you type is kept and sent when the server answers again.
    </Message>
  );
}

function Closed({ reason, message }: { reason: string; message: string }) {
  const reopen = useReopen();
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    if (reason !== 'shutdown') return;
    const timer = setInterval(() => void reopen().catch(() => {}), lookMilliseconds);
    return () => clearInterval(timer);
  }, [reason, reopen]);

  if (reason === 'shutdown') {
    return <Message tone="stale">The server is restarting. What you type is kept and sent when it is back.</Message>;
  }
  return (
    <Message
      tone="stale"
      action={
        reason === 'client_too_old' ? (
          <Button onClick={() => location.reload()}>Reload</Button>
        ) : (
          <Button onClick={() => void reopen().catch((error: unknown) => setProblem(messageOf(error)))}>
            Open it again
          </Button>
        )
      }
    >
      {problem ?? message}
    </Message>
  );
}

function EnvironmentActions() {
  const { view } = useNotebook();
  return (
    <>
      <Retry />
      <Button look="quiet" onClick={() => view.send({ kind: 'panel', panel: 'environment' })}>
        See why
      </Button>
    </>
  );
}

function Retry() {
  const { sessionId, store } = useNotebook();
  const retry = () =>
    startJob(sessionId, { action: 'sync' }).catch((error: unknown) =>
      store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' }),
    );
  return <Button onClick={() => void retry()}>Try again</Button>;
}
