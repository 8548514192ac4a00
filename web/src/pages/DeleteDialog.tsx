// Deleting a notebook deletes its folder, so its name is asked for.
import { useState } from 'react';
import { messageOf } from '../api/index.ts';
import { Button, Dialog, Field, Message } from '../ui/index.ts';

export function DeleteDialog(props: {
  name: string;
  path: string;
  onClose: () => void;
  onDelete: () => Promise<void>;
}) {
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isSure = typed.trim() === props.name;
  return (
    <Dialog title={`Delete ${props.name}?`} onClose={props.onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSure) return;
          setBusy(true);
          props.onDelete().catch((error: unknown) => {
            setBusy(false);
            setProblem(messageOf(error));
          });
        }}
      >
        <p>
          The folder <code>{props.path}</code> goes with everything in it: cells, results, environment. This cannot be
          undone.
        </p>
        {problem !== null && <Message tone="error">{problem}</Message>}
        <Field label={`Type “${props.name}” to go on`}>
          {(id) => <input id={id} className="input" value={typed} onChange={(event) => setTyped(event.target.value)} />}
        </Field>
        <footer>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button look="danger" type="submit" disabled={!isSure || isBusy}>
            Delete
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
