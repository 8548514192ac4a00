// Names that results go by: their aliases and tags, changes that wait for a yes, where each comes from, and who changed what.
import { useCallback, useEffect, useState } from 'react';
import { ApiError, messageOf } from '../api/index.ts';
import {
  type AuditEntry,
  decide,
  type PendingChange,
  type RegisteredName,
  readAudit,
  readNames,
  readPending,
} from '../api/registry.ts';
import { ago } from '../state/index.ts';
import { announce, Button, Chip, Message } from '../ui/index.ts';
import { Lineage } from './Lineage.tsx';
import { Shell } from './Shell.tsx';
import './logs.css';
import './registry.css';

interface Registered {
  readonly names: readonly RegisteredName[];
  readonly pending: readonly PendingChange[];
  readonly entries: readonly AuditEntry[];
}

export function RegistryPage() {
  const [found, setFound] = useState<Registered | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [chosen, setChosen] = useState<RegisteredName | null>(null);

  const look = useCallback(async (signal: AbortSignal) => {
    try {
      const [{ names }, { pending }, { entries }] = await Promise.all([
        readNames(signal),
        readPending(signal),
        readAudit(signal),
      ]);
      setFound({ names, pending, entries });
      setProblem(null);
    } catch (error) {
      if (signal.aborted) return;
      setProblem(error instanceof ApiError && error.isMissing ? 'This server keeps no registry.' : messageOf(error));
    }
  }, []);

  useEffect(() => {
    document.title = 'Registry';
    const gone = new AbortController();
    void look(gone.signal);
    return () => gone.abort();
  }, [look]);

  async function say(decision: 'approve' | 'reject', change: PendingChange): Promise<void> {
    try {
      await decide(decision, change);
      announce(decision === 'approve' ? 'Approved' : 'Rejected');
      await look(new AbortController().signal);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <Shell>
      <div className="shell-head">
        <h1>Registry</h1>
      </div>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {found && found.pending.length > 0 && <Pending changes={found.pending} onDecide={say} />}
      {found && <Names names={found.names} onLineage={setChosen} />}
      {chosen && <Lineage key={chosen.uri} of={chosen} names={found?.names ?? []} onClose={() => setChosen(null)} />}
      {found && found.entries.length > 0 && <Audit entries={found.entries} />}
    </Shell>
  );
}

function Pending(props: {
  changes: readonly PendingChange[];
  onDecide: (decision: 'approve' | 'reject', change: PendingChange) => Promise<void>;
}) {
  return (
    <section className="registry-part" aria-label="Waiting for approval">
      <h2>Waiting for approval</h2>
      <ul className="registry-pending">
        {props.changes.map((change) => (
          <li key={`${change.name} ${change.alias}`}>
            <span>
              <b>{change.alias}</b> of <b>{change.name}</b>
              {change.version === null ? ' shall go' : ` shall be version ${change.version}`}
              <small>
                {' '}
                asked by {change.requested_by ?? 'somebody'} {ago(change.requested_at * 1000)}
              </small>
            </span>
            <Button look="primary" onClick={() => void props.onDecide('approve', change)}>
              Approve
            </Button>
            <Button onClick={() => void props.onDecide('reject', change)}>Reject</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Names(props: { names: readonly RegisteredName[]; onLineage: (name: RegisteredName) => void }) {
  if (props.names.length === 0)
    return <Message>No result has a name yet. A cell gives one with svc.put(…, name="models/best").</Message>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keys too
    <section className="artifacts-scroll registry-part" tabIndex={0} aria-label="Names">
      <table className="artifacts">
        <thead>
          <tr>
            <th>Name</th>
            <th>Version</th>
            <th>Aliases</th>
            <th>Tags</th>
            <th>Read by</th>
            <th>Comes from</th>
          </tr>
        </thead>
        <tbody>
          {props.names.map((one) => (
            <tr key={`${one.tenant} ${one.name}`}>
              <td>{one.name}</td>
              <td>{one.version}</td>
              <td>
                {Object.entries(one.aliases).map(([alias, version]) => (
                  <Chip key={alias} tone="accent">
                    {alias} {version}
                  </Chip>
                ))}
              </td>
              <td>
                {Object.entries(one.tags).map(([key, value]) => (
                  <Chip key={key}>
                    {key} {value}
                  </Chip>
                ))}
              </td>
              <td>{one.readers.length === 0 ? '' : `${one.readers.length} cells`}</td>
              <td>
                <Button look="quiet" aria-label={`Lineage of ${one.name}`} onClick={() => props.onLineage(one)}>
                  Lineage
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Audit({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <section className="registry-part" aria-label="What was changed">
      <h2>What was changed</h2>
      <ul className="registry-audit">
        {entries.map((entry) => (
          <li key={entry.seq}>
            <time dateTime={new Date(entry.at * 1000).toISOString()}>{ago(entry.at * 1000)}</time>
            <span>
              {entry.actor ?? 'somebody'}: {entry.action.replaceAll('_', ' ')}{' '}
              {[entry.name, entry.alias, entry.key, entry.value].filter((word) => word !== null).join(' ')}
              {entry.to_version !== null && ` → version ${entry.to_version}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
