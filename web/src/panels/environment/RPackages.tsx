// The R library of a notebook: made when somebody wants it, and then added to by name.
import { type FormEvent, useState } from 'react';
import { type EnvironmentBody, messageOf, startJob } from '../../api/index.ts';
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
      {r.packages.length > 0 && (
        <details>
          <summary className="panel-note">
            {r.packages.length} R {r.packages.length === 1 ? 'package' : 'packages'}
          </summary>
          <ul className="rows">
            {r.packages.map((one) => (
              <li key={one.name} className="package">
                <span>{one.name}</span>
                <small>{one.version}</small>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
