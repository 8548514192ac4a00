// Name, folder and Python of a new notebook.
import { useEffect, useState } from 'react';
import { type createNotebook, messageOf, type ServerConfig, serverConfig } from '../api/index.ts';
import { Button, Dialog, Field, Message } from '../ui/index.ts';

type Wish = Parameters<typeof createNotebook>[0];

export function CreateDialog({ onClose, onCreate }: { onClose: () => void; onCreate: (wish: Wish) => Promise<void> }) {
  const [config, setConfig] = useState<ServerConfig | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [name, setName] = useState('');
  /** Null until somebody chooses another than the usual one. */
  const [parent, setParent] = useState<string | null>(null);
  const [python, setPython] = useState('');
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    serverConfig().then(setConfig, (error: unknown) => setProblem(messageOf(error)));
  }, []);
  const versions = config?.available_python_versions ?? [];
  return (
    <Dialog title="New notebook" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === '') return setProblem('Give the notebook a name.');
          setProblem(null);
          setBusy(true);
          onCreate({
            name: name.trim(),
            parent_path: parent?.trim() || '.',
            python_version: python || null,
            starter_cell: true,
          })
            .catch((error: unknown) => setProblem(messageOf(error)))
            .finally(() => setBusy(false));
        }}
      >
        {problem !== null && <Message tone="error">{problem}</Message>}
        <Field label="Name">
          {(id) => <input id={id} className="input" value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label="Folder" hint="The notebook gets its own folder here; missing folders are created">
          {(id, hint) => (
            <input
              id={id}
              aria-describedby={hint}
              className="input mono"
              value={parent ?? config?.default_parent_path ?? ''}
              onChange={(event) => setParent(event.target.value)}
            />
          )}
        </Field>
        <Field label="Python">
          {(id) => (
            <select
              id={id}
              className="input"
              value={python || (versions[0] ?? '')}
              disabled={versions.length < 2}
              onChange={(event) => setPython(event.target.value)}
            >
              {versions.map((version) => (
                <option key={version}>{version}</option>
              ))}
            </select>
          )}
        </Field>
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" disabled={isBusy}>
            {isBusy ? 'Creating …' : 'Create'}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
