// A name is written otherwise in every cell that means it: what that changes is shown, then done as one change.
import { useEffect, useState } from 'react';
import type { RenamePreviewBody } from '../../../src/protocol/index.ts';
import { messageOf, previewRename } from '../api/index.ts';
import { Button, Dialog, Field, Message } from '../ui/index.ts';
import { ChangedCells } from './ChangedCells.tsx';
import { useNotebook } from './context.ts';
import { renameEverywhere } from './names.ts';

export function RenameDialog({ name, onClose }: { name: string | null; onClose: () => void }) {
  const session = useNotebook();
  const [to, setTo] = useState(name ?? '');
  const [plan, setPlan] = useState<RenamePreviewBody | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    const asking = new AbortController();
    setPlan(null);
    setProblem(null);
    session.link.flush();
    if (name !== null && to.trim() !== '' && to.trim() !== name)
      previewRename(session.sessionId, name, to.trim(), asking.signal).then(setPlan, (error: unknown) => {
        if (!asking.signal.aborted) setProblem(messageOf(error));
      });
    return () => asking.abort();
  }, [session, name, to]);

  if (name === null)
    return (
      <Dialog title="Rename a name" onClose={onClose}>
        <p>Put the cursor on the name of a variable, a function or a class first.</p>
      </Dialog>
    );
  const count = plan?.changes.length ?? 0;
  return (
    <Dialog title={`Rename ${name}`} onClose={onClose} wide>
      <form
        className="report"
        onSubmit={async (event) => {
          event.preventDefault();
          if (!plan) return;
          const refused = await renameEverywhere(session, plan);
          if (refused === null) onClose();
          else setProblem(refused);
        }}
      >
        <Field label="New name">
          {(id) => (
            <input
              id={id}
              className="input mono"
              autoComplete="off"
              spellCheck={false}
              value={to}
              onChange={(event) => setTo(event.target.value)}
            />
          )}
        </Field>
        {problem !== null && <Message>{problem}</Message>}
        {plan && <ChangedCells changes={plan.changes} />}
        <footer>
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={plan === null || session.isReadOnly}>
            {plan ? `Rename in ${count} ${count === 1 ? 'cell' : 'cells'}` : 'Rename'}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
