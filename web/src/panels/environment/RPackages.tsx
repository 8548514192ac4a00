// The R library of a notebook: made when somebody wants it, and then added to by name.
import { type FormEvent, useEffect, useState } from 'react';
import { type EnvironmentBody, messageOf, type RPackagesBody, readRPackages, startJob } from '../../api/index.ts';
import { useNotebook } from '../../notebook/context.ts';
import { Button, Message } from '../../ui/index.ts';

export function RPackages({ r }: { r: EnvironmentBody['r_environment'] }) {
  const { sessionId } = useNotebook();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const ask = (wish: Parameters<typeof startJob>[1]): void => {
    setProblem(null);
    startJob(sessionId, wish).then(
      () => setName(''),
      (error: unknown) => setProblem(messageOf(error)),
    );
  };
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (name.trim() !== '') ask({ action: 'r_add', package: name.trim() });
  }
  if (r.system_r_version === null)
    return <p className="panel-note">R is not installed on this server. Its operator can add it.</p>;
  return (
    <>
      <p className="panel-note">R {r.r_version || r.system_r_version}</p>
      {r.sync_error !== null && <Message tone="error">{r.sync_error}</Message>}
      {problem !== null && <Message tone="error">{problem}</Message>}
      {r.has_lockfile ? (
        <form className="inline-form" aria-label="Add an R package" onSubmit={submit}>
          <input
            className="input mono"
            aria-label="R package to add"
            placeholder="dplyr"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button type="submit" disabled={name.trim() === ''}>
            Add
          </Button>
        </form>
      ) : (
        <Button onClick={() => ask({ action: 'r_init' })}>Set up R packages for this notebook</Button>
      )}
      {r.has_lockfile && <Library state={`${r.current_lock_hash} ${r.last_synced_at}`} />}
    </>
  );
}

/** Asked for apart: it takes R a moment to tell. `state`: another one has other packages. */
function Library({ state }: { state: string }) {
  const { sessionId } = useNotebook();
  const [found, setFound] = useState<RPackagesBody | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another state has other packages
  useEffect(() => {
    const leaving = new AbortController();
    readRPackages(sessionId, leaving.signal).then(
      (answer) => {
        setFound(answer);
        setProblem(answer.packages_error);
      },
      (error: unknown) => leaving.signal.aborted || setProblem(messageOf(error)),
    );
    return () => leaving.abort();
  }, [sessionId, state]);
  if (problem !== null) return <Message tone="error">{problem}</Message>;
  if (!found) return <p className="panel-note">Asking R for its packages …</p>;
  const { packages } = found;
  return (
    <details>
      <summary className="panel-note">
        {packages.length} R {packages.length === 1 ? 'package' : 'packages'}
      </summary>
      <ul className="rows">
        {packages.map((one) => (
          <li key={one.name} className="package">
            <span>{one.name}</span>
            <small>{one.version}</small>
          </li>
        ))}
      </ul>
    </details>
  );
}
