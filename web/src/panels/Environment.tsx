// The Python of this notebook: its packages, and the jobs that change them with their output.
import { useCallback, useEffect, useState } from 'react';
import { ApiError, type EnvironmentBody, messageOf, readEnvironment, startJob } from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { ago, duration } from '../state/index.ts';
import { Button, IconButton, Message, Progress } from '../ui/index.ts';
import { Changeable } from './Changeable.tsx';

type Read = { readonly body: EnvironmentBody } | { readonly problem: string } | null;

export function Environment() {
  const { sessionId } = useNotebook();
  const environment = useModel((model) => model.environment);
  const job = useModel((model) => model.job);
  const [read, setRead] = useState<Read>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [packageName, setPackageName] = useState('');
  const [wished, setWished] = useState<string | null>(null);
  const isBusy = job?.status === 'running';
  const failed = job?.status === 'failed' ? job : null;
  // A name with a typing error is mended, not written anew.
  useEffect(() => {
    if (failed === null || wished === null) return;
    setPackageName((typed) => typed || wished);
    setWished(null);
  }, [failed, wished]);

  const look = useCallback(() => {
    readEnvironment(sessionId).then(
      (body) => setRead({ body }),
      (error: unknown) =>
        setRead({
          problem:
            error instanceof ApiError && error.isMissing
              ? 'This server does not list packages yet. They are in pyproject.toml of the notebook.'
              : messageOf(error),
        }),
    );
  }, [sessionId]);
  // Again when a job has ended: its packages are others now.
  useEffect(() => {
    if (!isBusy) look();
  }, [look, isBusy]);

  async function run(wish: Parameters<typeof startJob>[1]): Promise<void> {
    setProblem(null);
    try {
      await startJob(sessionId, wish);
      setPackageName('');
      setWished(wish.action === 'add' ? (wish.package ?? null) : null);
    } catch (error) {
      setProblem(
        error instanceof ApiError && error.isMissing ? 'This server does not change packages yet.' : messageOf(error),
      );
    }
  }

  const synced = typeof environment.last_synced_at === 'number' ? environment.last_synced_at : null;
  return (
    <Changeable needs="notebook:execute">
      <dl className="facts">
        <dt>Python</dt>
        <dd>{String(environment.runtime_python_version || environment.requested_python_version || '…')}</dd>
        <dt>State</dt>
        <dd>{environment.sync_state}</dd>
        {synced !== null && (
          <>
            <dt>Last change</dt>
            <dd>{ago(synced)}</dd>
          </>
        )}
      </dl>
      {typeof environment.sync_error === 'string' && <Message tone="error">{environment.sync_error}</Message>}
      <h3>Packages</h3>
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (packageName.trim() !== '') void run({ action: 'add', package: packageName.trim() });
        }}
      >
        <input
          className="input mono"
          aria-label="Packages to add"
          placeholder="pandas>=2"
          value={packageName}
          onChange={(event) => setPackageName(event.target.value)}
        />
        <Button type="submit" disabled={isBusy || packageName.trim() === ''}>
          Add
        </Button>
      </form>
      {problem !== null && <Message tone="stale">{problem}</Message>}
      {failed !== null && problem === null && (
        <Message tone="error">
          <code>{failed.command}</code> failed. {failed.error?.trim().split('\n').at(-1)}
        </Message>
      )}
      {read && 'problem' in read && <p className="panel-note">{read.problem}</p>}
      {read && 'body' in read && (
        <Packages body={read.body} isBusy={isBusy} onRemove={(name) => void run({ action: 'remove', package: name })} />
      )}
      {job && (
        <>
          <h3>Last job</h3>
          <p className="panel-note">
            <code>{job.command}</code> · {isBusy ? job.phase.replaceAll('_', ' ') : job.status}
            {job.duration_ms !== null && ` in ${duration(job.duration_ms)}`}
          </p>
          {isBusy && <Progress value={null} label="Environment job" />}
          {(job.stderr || job.stdout) && <pre className="job-log">{`${job.stdout}${job.stderr}`}</pre>}
        </>
      )}
    </Changeable>
  );
}

function Packages(props: { body: EnvironmentBody; isBusy: boolean; onRemove: (name: string) => void }) {
  const { dependencies, resolved_dependencies } = props.body;
  const versions = new Map(resolved_dependencies.map(({ name, version }) => [name, version]));
  const declared = new Set(dependencies.map(({ name }) => name));
  const others = resolved_dependencies.filter(({ name }) => !declared.has(name));
  return (
    <>
      <ul className="rows">
        {dependencies.map(({ name, specifier }) => (
          <li key={name} className="package">
            <span title={specifier ?? ''}>{name}</span>
            <small>{versions.get(name) ?? specifier}</small>
            <IconButton
              icon="close"
              size={12}
              label={`Remove ${name}`}
              disabled={props.isBusy}
              onClick={() => props.onRemove(name)}
            />
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <details>
          <summary className="panel-note">{others.length} more come with them</summary>
          <ul className="rows">
            {others.map(({ name, version }) => (
              <li key={name} className="package">
                <span>{name}</span>
                <small>{version}</small>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
