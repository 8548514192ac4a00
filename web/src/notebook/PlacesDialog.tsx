// Every line that means a name, with a way there.
import { useEffect, useState } from 'react';
import type { NamePlace } from '../../../src/protocol/index.ts';
import { messageOf, readNamePlaces } from '../api/index.ts';
import { labelOf } from '../state/index.ts';
import { Dialog } from '../ui/index.ts';
import { useNotebook } from './context.ts';

export function PlacesDialog({ name, onClose }: { name: string | null; onClose: () => void }) {
  const session = useNotebook();
  const [places, setPlaces] = useState<readonly NamePlace[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    session.link.flush();
    if (name !== null)
      readNamePlaces(session.sessionId, name).then(
        (found) => setPlaces(found.places),
        (error: unknown) => setProblem(messageOf(error)),
      );
  }, [session, name]);
  const model = session.store.get();
  return (
    <Dialog title={name === null ? 'Uses of a name' : `Uses of ${name}`} onClose={onClose} wide>
      {name === null && <p>Put the cursor on a name first.</p>}
      {problem !== null && <p>{problem}</p>}
      {places?.length === 0 && <p>No cell shares this name with others.</p>}
      <ul className="find-hits">
        {places?.map(({ cell_id, line, text, defines }) => (
          <li key={`${cell_id}:${line}`}>
            <button
              type="button"
              onClick={() => {
                onClose();
                setTimeout(() =>
                  session.view.send({ kind: 'jump', cellId: cell_id, line, ...(name !== null && { name }) }),
                );
              }}
            >
              <span>
                {labelOf(model, cell_id)}:{line}
                {defines && ' defines'}
              </span>
              <code>{text}</code>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
