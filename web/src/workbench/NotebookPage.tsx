// The page of a notebook.

import { NotebookContext } from '../notebook/context.ts';
import { useSession } from '../notebook/useSession.ts';
import { notebookHash } from '../route.ts';
import { Button, Message } from '../ui/index.ts';
import { Workbench } from './Workbench.tsx';
import './notebook.css';

export function NotebookPage({ sessionId }: { sessionId: string }) {
  const opening = useSession(sessionId, notebookHash, false);
  if (opening.state === 'open') {
    return (
      <NotebookContext value={opening.session}>
        <Workbench key={opening.session.sessionId} />
      </NotebookContext>
    );
  }
  return (
    <main className="opening">
      {opening.state === 'opening' ? (
        <p role="status">Opening the notebook …</p>
      ) : (
        <Message
          tone="error"
          action={
            <>
              <Button onClick={() => window.location.reload()}>Try again</Button>
              <a href="#/">All notebooks</a>
            </>
          }
        >
          This notebook could not be opened. {opening.reason}
        </Message>
      )}
    </main>
  );
}
