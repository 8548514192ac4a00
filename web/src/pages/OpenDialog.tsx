// A notebook by its folder.
import { useState } from 'react';
import { messageOf } from '../api/index.ts';
import { Button, Dialog, Field, Message } from '../ui/index.ts';

export function OpenDialog({ onClose, onOpen }: { onClose: () => void; onOpen: (path: string) => Promise<void> }) {
  const [path, setPath] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Dialog title="Open by path" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (path.trim() === '') return;
          setProblem(null);
          onOpen(path.trim()).catch((error: unknown) => setProblem(messageOf(error)));
        }}
      >
        {problem !== null && <Message tone="error">{problem}</Message>}
        <Field label="Folder of the notebook" hint="Absolute, or relative to the notebook folder">
          {(id, hint) => (
            <input
              id={id}
              aria-describedby={hint}
              className="input mono"
              value={path}
              onChange={(event) => setPath(event.target.value)}
            />
          )}
        </Field>
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" disabled={path.trim() === ''}>
            Open
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
