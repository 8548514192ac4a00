// A name that several cells write gets a name of its own from each definition on: what that changes is shown, then done.
import { useEffect, useState } from 'react';
import type { AmbiguousName, ExplicitPreviewBody } from '../../../src/protocol/index.ts';
import { messageOf, previewExplicit, readAmbiguousNames } from '../api/index.ts';
import { Button, Dialog, Field, Message } from '../ui/index.ts';
import { ChangedCells, placeOf } from './ChangedCells.tsx';
import { useNotebook } from './context.ts';
import { renameStepByStep } from './texts.ts';

type Looked = { readonly plan: ExplicitPreviewBody } | { readonly problem: string } | null;

export function ExplicitDialog({ name: wanted, onClose }: { name: string | null; onClose: () => void }) {
  const session = useNotebook();
  const [names, setNames] = useState<readonly AmbiguousName[] | null>(null);
  const [name, setName] = useState(wanted);
  const [looked, setLooked] = useState<Looked>(null);
  const [looks, lookAgain] = useState(0);
  const [refused, setRefused] = useState<string | null>(null);
  const { sessionId } = session;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `looks` asks again for the same
  useEffect(() => {
    const asking = new AbortController();
    const tell = (problem: unknown) => asking.signal.aborted || setLooked({ problem: messageOf(problem) });
    setLooked(null);
    session.link.flush();
    if (name === null)
      readAmbiguousNames(sessionId, asking.signal).then(({ names: found }) => {
        setNames(found);
        setName(found[0]?.name ?? null);
      }, tell);
    else previewExplicit(sessionId, name, asking.signal).then((plan) => setLooked({ plan }), tell);
    return () => asking.abort();
  }, [session, sessionId, name, looks]);

  const plan = looked && 'plan' in looked ? looked.plan : null;
  const choices = names?.some((one) => one.name === name) ? names : [];
  return (
    <Dialog title={name === null ? 'Make a name explicit' : `Make ${name} explicit`} onClose={onClose} wide>
      <div className="report">
        {choices.length > 0 && (
          <Field label="Name that several cells write">
            {(id) => (
              <select id={id} className="input" value={name ?? ''} onChange={(event) => setName(event.target.value)}>
                {choices.map((one) => (
                  <option key={one.name}>{one.name}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        {names?.length === 0 && <p>No name is written by several cells.</p>}
        {refused !== null && <Message>{refused}</Message>}
        {looked && 'problem' in looked && <Message>{looked.problem}</Message>}
        {plan && <Changes plan={plan} />}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={plan === null || session.isReadOnly}
            onClick={async () => {
              if (!plan) return;
              const problem = await renameStepByStep(session, plan);
              if (problem === null) onClose();
              else {
                setRefused(problem);
                lookAgain(looks + 1);
              }
            }}
          >
            {plan ? `Rename in ${plan.changes.length} ${plan.changes.length === 1 ? 'cell' : 'cells'}` : 'Rename'}
          </Button>
        </footer>
      </div>
    </Dialog>
  );
}

function Changes({ plan }: { plan: ExplicitPreviewBody }) {
  const model = useNotebook().store.get();
  const place = (cellId: string): string => placeOf(model, cellId);
  return (
    <>
      <p>Each cell reads the value that it reads now; only names change. It can be undone.</p>
      <ul className="explicit-steps">
        {plan.steps.map((step) => (
          <li key={step.cell_id}>
            <code>{plan.name}</code> is <code>{step.name}</code> from {place(step.cell_id)} on
          </li>
        ))}
        {plan.kept.map(({ cell_id, reason }) => (
          <li key={cell_id}>
            {place(cell_id)} keeps the name: {reason}
          </li>
        ))}
      </ul>
      <ChangedCells changes={plan.changes} />
    </>
  );
}
