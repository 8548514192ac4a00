// What must be known before going on: the session is closed, the connection is gone, the environment failed, text would be
// lost. Each says what to do next.

import { useState } from 'react';
import { messageOf, startJob } from '../api/index.ts';
import { useComingBack, useReopen } from '../notebook/comingBack.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { useObjection } from '../notebook/rights.ts';
import { runCell } from '../notebook/running.ts';
import { bringOrphans } from '../notebook/structure.ts';
import { notebookHash } from '../route.ts';
import { labelOf } from '../state/index.ts';
import { Button, Message } from '../ui/index.ts';

export function Banner() {
  const session = useNotebook();
  useComingBack(notebookHash);
  const closed = useModel((model) => model.closed);
  const connection = useModel((model) => model.connection);
  const environment = useModel((model) => model.environment);
  const graphError = useModel((model) => model.graphError);
  const orphans = useModel((model) => model.orphans);
  const brokenOff = useModel((model) => model.brokenOff);
  return (
    <div className="banners">
      {closed && <Closed reason={closed.reason} message={closed.message} />}
      {connection === 'offline' && !closed && (
        <Message tone="stale">
          Not connected. Go on writing: what you type is kept and sent when the server answers again.
        </Message>
      )}
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
      {brokenOff.length > 0 && <BrokenOff cellIds={brokenOff} />}
      {orphans.length > 0 && (
        <Message
          tone="stale"
          action={
            <>
              <Button onClick={() => void bringOrphans(session)}>Bring it back</Button>
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

/** Their results are those of before, which nobody could tell from new ones. */
function BrokenOff({ cellIds }: { cellIds: readonly string[] }) {
  const session = useNotebook();
  const objection = useObjection('notebook:execute');
  const first = useModel((model) => labelOf(model, cellIds[0] ?? ''));
  const others = cellIds.length - 1;
  const dismiss = () => session.store.send({ kind: 'dismissed', what: 'brokenOff' });
  const again = () => {
    dismiss();
    for (const id of cellIds) runCell(session, id, session.runKinds.get(id));
  };
  return (
    <Message
      tone="stale"
      action={
        <>
          {objection === null && <Button onClick={again}>Run again</Button>}
          <Button look="quiet" onClick={dismiss}>
            Dismiss
          </Button>
        </>
      }
    >
      The server was started again before <strong>{first}</strong>
      {others === 0 ? ' had' : others === 1 ? ' and 1 other cell had' : ` and ${others} other cells had`} run to the
      end.
    </Message>
  );
}

function Closed({ reason, message }: { reason: string; message: string }) {
  const reopen = useReopen(notebookHash);
  const [problem, setProblem] = useState<string | null>(null);

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
  const objection = useObjection('notebook:execute');
  const retry = () =>
    startJob(sessionId, { action: 'sync' }).catch((error: unknown) =>
      store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' }),
    );
  return objection === null && <Button onClick={() => void retry()}>Try again</Button>;
}
