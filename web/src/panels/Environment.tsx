// The Python of this notebook: its packages, and the jobs that change them with their output; R beside it.
import { useCallback, useEffect, useState } from 'react';
import { type EnvironmentBody, messageOf, readEnvironment } from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { ago, whyJobFailed } from '../state/index.ts';
import { IconButton, Message } from '../ui/index.ts';
import { Changeable } from './Changeable.tsx';
import { AddPackages } from './environment/AddPackages.tsx';
import { changePackages } from './environment/changing.ts';
import { ImportPackages } from './environment/ImportPackages.tsx';
import { Jobs } from './environment/Jobs.tsx';
import { PythonVersion } from './environment/PythonVersion.tsx';
import { RPackages } from './environment/RPackages.tsx';
import './environment/environment.css';

type Read = { readonly body: EnvironmentBody } | { readonly problem: string } | null;

export function Environment() {
  const { sessionId } = useNotebook();
  const environment = useModel((model) => model.environment);
  const job = useModel((model) => model.job);
  const [read, setRead] = useState<Read>(null);
  const isBusy = job?.status === 'running';
  const failed = job?.status === 'failed' ? job : null;

  const look = useCallback(() => {
    readEnvironment(sessionId).then(
      (body) => setRead({ body }),
      (error: unknown) => setRead({ problem: messageOf(error) }),
    );
  }, [sessionId]);
  // Again when a job has ended: its packages are others now.
  useEffect(() => {
    if (!isBusy) look();
  }, [look, isBusy]);

  const synced = typeof environment.last_synced_at === 'number' ? environment.last_synced_at : null;
  return (
    <Changeable needs="notebook:execute">
      <PythonVersion />
      <dl className="facts">
        <dt>Installed</dt>
        <dd>{String(environment.runtime_python_version || '…')}</dd>
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
      <AddPackages />
      {failed !== null && (
        <Message tone="error">
          <code>{failed.command}</code> failed. {whyJobFailed(failed)}
        </Message>
      )}
      {read && 'problem' in read && <p className="panel-note">{read.problem}</p>}
      {read && 'body' in read && <Packages body={read.body} />}
      <ImportPackages />
      <Jobs />
      {read && 'body' in read && (
        <>
          <h3>R packages</h3>
          <RPackages r={read.body.r_environment} />
        </>
      )}
    </Changeable>
  );
}

function Packages({ body }: { body: EnvironmentBody }) {
  const session = useNotebook();
  const { dependencies, resolved_dependencies } = body;
  const versions = new Map(resolved_dependencies.map(({ name, version }) => [name, version]));
  const declared = new Set(dependencies.map(({ name }) => name));
  const others = resolved_dependencies.filter(({ name }) => !declared.has(name));
  const remove = (name: string): void => {
    changePackages(session, { action: 'remove', package: name }, `removing ${name}`).catch((error: unknown) =>
      session.store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' }),
    );
  };
  return (
    <>
      <ul className="rows">
        {dependencies.map(({ name, specifier, condition = '' }) => (
          <li key={`${name} ${condition}`} className="package">
            <span title={[specifier ?? '', condition].filter(Boolean).join('; ')}>{name}</span>
            <small>{versions.get(name) ?? (condition === '' ? specifier : `only if ${condition}`)}</small>
            <IconButton icon="close" size={12} label={`Remove ${name}`} onClick={() => remove(name)} />
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <details>
          <summary className="panel-note">
            {others.length} {others.length === 1 ? 'dependency' : 'dependencies'}
          </summary>
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
