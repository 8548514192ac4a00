// Names that results go by: their aliases and tags, changes that wait for a yes, where each comes from, and who changed what.
import { useCallback, useEffect, useState } from 'react';
import { ApiError, messageOf } from '../api/index.ts';
import {
  type AuditEntry,
  auditEntries,
  decide,
  isChangedSince,
  type PendingChange,
  type RegisteredName,
  readAudit,
  readNames,
  readPending,
} from '../api/registry.ts';
import { useAsker, useLacks } from '../scopes.ts';
import { ago } from '../state/index.ts';
import { announce, Button, Message } from '../ui/index.ts';
import { Lineage } from './Lineage.tsx';
import { NameVersions } from './NameVersions.tsx';
import { type Looked, RegistryNames } from './RegistryNames.tsx';
import { deedOf, versionOf } from './registryWords.ts';
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
  const [chosen, setChosen] = useState<{ readonly of: RegisteredName; readonly at: Looked } | null>(null);

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
  useFollowing(found?.entries[0]?.seq, look);

  const lookAgain = () => look(new AbortController().signal);

  async function say(decision: 'approve' | 'reject', change: PendingChange): Promise<void> {
    try {
      const { pending } = await readPending(new AbortController().signal);
      const now = pending.find(({ name, alias }) => name === change.name && alias === change.alias);
      if (now && now.requested_at !== change.requested_at) {
        await lookAgain();
        return setProblem(
          `${now.requested_by ?? 'Somebody'} has asked for something else meanwhile. Look at it, then decide.`,
        );
      }
      await decide(decision, change);
      announce(decision === 'approve' ? 'Approved' : 'Rejected');
      await lookAgain();
    } catch (error) {
      const isDecided = error instanceof ApiError && error.status === 404;
      await lookAgain();
      setProblem(
        isDecided ? `Somebody else has decided about ${change.alias} of ${change.name} already.` : messageOf(error),
      );
    }
  }

  return (
    <Shell>
      <div className="shell-head">
        <h1>Registry</h1>
      </div>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {found && found.pending.length > 0 && <Pending changes={found.pending} onDecide={say} />}
      {found && <RegistryNames names={found.names} onLook={(of, at) => setChosen({ of, at })} />}
      {chosen?.at === 'lineage' && (
        <Lineage key={chosen.of.uri} of={chosen.of} names={found?.names ?? []} onClose={() => setChosen(null)} />
      )}
      {chosen?.at === 'versions' && (
        <NameVersions
          key={`${chosen.of.tenant} ${chosen.of.name}`}
          of={
            found?.names.find(({ name, tenant }) => name === chosen.of.name && tenant === chosen.of.tenant) ?? chosen.of
          }
          onLineage={(of) => setChosen({ of, at: 'lineage' })}
          onChanged={lookAgain}
          onClose={() => setChosen(null)}
        />
      )}
      {found && found.entries.length > 0 && <Audit entries={found.entries} />}
    </Shell>
  );
}

const pauseMilliseconds = 4000;

/** What others change while somebody looks is seen, too. */
function useFollowing(seq: number | undefined, look: (signal: AbortSignal) => Promise<void>): void {
  useEffect(() => {
    const gone = new AbortController();
    const timer = setInterval(() => {
      if (document.visibilityState === 'hidden') return;
      isChangedSince(seq ?? 0, gone.signal).then(
        (isChanged) => (isChanged ? look(gone.signal) : undefined),
        () => {}, // the next time
      );
    }, pauseMilliseconds);
    return () => {
      gone.abort();
      clearInterval(timer);
    };
  }, [seq, look]);
}

function Pending(props: {
  changes: readonly PendingChange[];
  onDecide: (decision: 'approve' | 'reject', change: PendingChange) => Promise<void>;
}) {
  const mayNotDecide = useLacks('admin:registry');
  const { principal, scopes } = useAsker();
  /** Nobody approves what they asked for themselves. */
  const isOwn = ({ requested_by }: PendingChange): boolean =>
    scopes !== null && !scopes.includes('admin:*') && requested_by !== null && requested_by === principal;
  return (
    <section className="registry-part" aria-label="Waiting for approval">
      <h2>Waiting for approval</h2>
      <ul className="registry-pending">
        {props.changes.map((change) => (
          <li key={`${change.name} ${change.alias}`}>
            <span>
              <b>{change.alias}</b> of <b>{change.name}</b>
              {change.artifact_id === null || change.version === null
                ? ' shall go'
                : ` shall be ${versionOf(change.artifact_id, change.version)}`}
              <small>
                {' '}
                asked by {change.requested_by ?? 'somebody'} {ago(change.requested_at * 1000)}
              </small>
            </span>
            {mayNotDecide && <small>Somebody with admin:registry decides.</small>}
            {!mayNotDecide && isOwn(change) && <small>Somebody else has to approve it.</small>}
            {!mayNotDecide && !isOwn(change) && (
              <Button look="primary" onClick={() => void props.onDecide('approve', change)}>
                Approve
              </Button>
            )}
            {!mayNotDecide && (
              <Button onClick={() => void props.onDecide('reject', change)}>
                {isOwn(change) ? 'Withdraw' : 'Reject'}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Audit({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <section className="registry-part" aria-label="What was changed">
      <h2>What was changed</h2>
      {entries.length === auditEntries && <p className="home-none">The last {auditEntries} changes.</p>}
      <ul className="registry-audit">
        {entries.map((entry) => (
          <li key={entry.seq}>
            <time dateTime={new Date(entry.at * 1000).toISOString()} title={new Date(entry.at * 1000).toLocaleString()}>
              {ago(entry.at * 1000)}
            </time>
            <span>
              <b>{entry.actor ?? 'somebody'}</b> {deedOf(entry)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
