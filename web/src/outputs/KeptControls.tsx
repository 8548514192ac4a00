// What stands below widgets that code of the cell listens to: whether it hears them, and what that means.
import { useContext } from 'react';
import { messageOf, setKeepsWidgets } from '../api/index.ts';
import { NotebookContext } from '../notebook/context.ts';
import { useObjectionIn } from '../notebook/rights.ts';
import type { NotebookSession } from '../notebook/session.ts';
import { useStore } from '../state/index.ts';
import { Button, Message } from '../ui/index.ts';
import { useKeptCell } from './useKeptCell.ts';

/** Where nobody can run anything, in the reading view, nothing is offered. */
export function KeptControls({ cellId }: { cellId: string }) {
  const session = useContext(NotebookContext);
  return session && <Controls session={session} cellId={cellId} />;
}

function Controls({ session, cellId }: { session: NotebookSession; cellId: string }) {
  const mayRun = useObjectionIn(session, 'notebook:execute') === null;
  const { status, reason, printed, keep, release } = useKeptCell(session, cellId, mayRun);
  const isUsual = useStore(session.store, (model) => model.keepsWidgets);

  const always = async (keeps: boolean): Promise<void> => {
    try {
      await setKeepsWidgets(session.sessionId, keeps);
    } catch (error) {
      session.store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' });
    }
  };

  return (
    <>
      {printed !== '' && (
        <pre className="plain kept-printed" aria-live="polite">
          {printed}
        </pre>
      )}
      {status === 'off' && (
        <Message
          action={
            mayRun && (
              <Button look="quiet" onClick={keep}>
                Keep it
              </Button>
            )
          }
        >
          {!mayRun
            ? 'These widgets need this cell’s process to stay alive. Whoever may run cells can keep it.'
            : reason === null
              ? 'These widgets need this cell’s process to stay alive. Keeping it runs the cell once more, beside its stored result.'
              : `The process of these widgets has ended: ${reason}.`}
        </Message>
      )}
      {status === 'starting' && <Message>Running the cell once more for its widgets …</Message>}
      {status === 'kept' && (
        <Message
          action={
            mayRun && (
              <>
                <Button look="quiet" onClick={() => void always(!isUsual)}>
                  {isUsual ? 'Not always' : 'Always in this notebook'}
                </Button>
                <Button look="quiet" onClick={release}>
                  Discard
                </Button>
              </>
            )
          }
        >
          This cell’s process is kept for its widgets. What you do here changes no stored result.
        </Message>
      )}
    </>
  );
}
