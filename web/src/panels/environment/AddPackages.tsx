// One field for packages: several at once, with or without versions; an exact name can be looked up in the index first.
import { type FormEvent, useEffect, useState } from 'react';
import { findInIndex, type IndexedPackageBody, messageOf } from '../../api/index.ts';
import { useModel, useNotebook } from '../../notebook/context.ts';
import { bytes } from '../../state/index.ts';
import { Button, Message, Progress } from '../../ui/index.ts';
import { changePackages } from './changing.ts';
import { nameIn, requirementsIn } from './requirementsIn.ts';

export function AddPackages() {
  const session = useNotebook();
  const failed = useModel(({ job }) => (job?.status === 'failed' && job.action === 'add' ? job : null));
  const [text, setText] = useState('');
  const [sent, setSent] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const packages = requirementsIn(text);
  // A name with a typing error is mended, not written anew.
  useEffect(() => {
    if (failed === null || sent === null) return;
    setText((typed) => typed || sent);
    setSent(null);
  }, [failed, sent]);

  async function add(wanted: readonly string[]): Promise<void> {
    setProblem(null);
    setSent(wanted.join(' '));
    setText('');
    try {
      await changePackages(session, { action: 'add', packages: wanted }, `adding ${wanted.join(', ')}`);
    } catch (error) {
      setText((typed) => typed || wanted.join(' '));
      setSent(null);
      setProblem(messageOf(error));
    }
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (packages.length > 0) void add(packages);
  }

  return (
    <>
      <form className="inline-form" aria-label="Add packages" onSubmit={submit}>
        <input
          className="input mono"
          aria-label="Packages to add"
          placeholder="pandas>=2 altair"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setProblem(null);
          }}
        />
        <Button type="submit" disabled={packages.length === 0}>
          {packages.length > 1 ? `Add ${packages.length}` : 'Add'}
        </Button>
      </form>
      {problem !== null && <Message tone="stale">{problem}</Message>}
      <LookUp name={nameIn(packages.at(-1) ?? '')} onAdd={(requirement) => void add([requirement])} />
    </>
  );
}

type Looked =
  | { readonly state: 'looking'; readonly name: string }
  | { readonly state: 'found'; readonly name: string; readonly found: IndexedPackageBody }
  | { readonly state: 'failed'; readonly name: string; readonly reason: string };

/** Nothing is asked of the index before somebody wants to know. */
function LookUp({ name, onAdd }: { name: string; onAdd: (requirement: string) => void }) {
  const { sessionId } = useNotebook();
  const [looked, setLooked] = useState<Looked | null>(null);
  if (name === '') return null;
  const now = looked?.name === name ? looked : null;
  async function look(): Promise<void> {
    setLooked({ state: 'looking', name });
    try {
      setLooked({ state: 'found', name, found: await findInIndex(sessionId, name) });
    } catch (error) {
      setLooked({ state: 'failed', name, reason: messageOf(error) });
    }
  }
  return (
    <div className="look-up">
      {now === null && (
        <Button look="quiet" onClick={() => void look()}>
          Versions of {name}
        </Button>
      )}
      {now?.state === 'looking' && <Progress value={null} label={`Looking for ${name}`} />}
      {now?.state === 'failed' && <Message tone="stale">{now.reason}</Message>}
      {now?.state === 'found' && <Versions found={now.found} onAdd={onAdd} />}
    </div>
  );
}

function Versions({ found, onAdd }: { found: IndexedPackageBody; onAdd: (requirement: string) => void }) {
  const { name, index, versions } = found;
  const [chosen, setChosen] = useState(versions.find(({ is_yanked }) => !is_yanked)?.version ?? '');
  const version = versions.find((one) => one.version === chosen);
  return (
    <>
      <div className="inline-form">
        <select
          className="input mono"
          aria-label={`Version of ${name}`}
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        >
          {versions.map((one) => (
            <option key={one.version} value={one.version}>
              {one.version}
              {one.bytes === null ? '' : ` · ${bytes(one.bytes)}`}
              {one.is_yanked ? ' · withdrawn' : ''}
            </option>
          ))}
        </select>
        <Button disabled={chosen === ''} onClick={() => onAdd(`${name}==${chosen}`)}>
          Add this version
        </Button>
      </div>
      <p className="panel-note">
        {versions.length} {versions.length === 1 ? 'version' : 'versions'} at {index}
        {version?.requires_python ? `; this one needs Python ${version.requires_python}` : ''}
        {version?.uploaded_at ? `; of ${version.uploaded_at.slice(0, 10)}` : ''}.
      </p>
    </>
  );
}
