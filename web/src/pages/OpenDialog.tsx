// A notebook by its folder.
import { useState } from 'react';
import { Button, Dialog, Field } from '../ui/index.ts';

export function OpenDialog({ onClose, onOpen }: { onClose: () => void; onOpen: (path: string) => void }) {
  const [path, setPath] = useState('');
  return (
    <Dialog title="Open by path" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (path.trim() !== '') onOpen(path.trim());
        }}
      >
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
