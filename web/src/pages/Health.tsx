// For operators: whether the server takes work, and how what it stands on is, looked at every few seconds.
import { useEffect, useState } from 'react';
import type { DependencyCheck, ReadinessBody } from '../../../src/protocol/index.ts';
import { type Health, readHealth } from '../api/health.ts';
import { bytes } from '../state/index.ts';
import { Chip, Message } from '../ui/index.ts';
import { FactTable } from './FactTable.tsx';
import { Shell } from './Shell.tsx';

const lookMilliseconds = 5000;

type Seen =
  | { readonly state: 'looking' }
  | { readonly state: 'seen'; readonly health: Health; readonly at: number }
  | { readonly state: 'away' };

export function HealthPage() {
  const [seen, setSeen] = useState<Seen>({ state: 'looking' });

  useEffect(() => {
    document.title = 'Health';
    const gone = new AbortController();
    const look = () =>
      readHealth(gone.signal).then(
        (health) => setSeen({ state: 'seen', health, at: Date.now() }),
        () => {
          if (!gone.signal.aborted) setSeen({ state: 'away' });
        },
      );
    void look();
    const timer = setInterval(() => void look(), lookMilliseconds);
    return () => {
      clearInterval(timer);
      gone.abort();
    };
  }, []);

  return (
    <Shell>
      <div className="shell-head">
        <h1>Health</h1>
        {seen.state === 'seen' && (
          <div className="shell-actions">
            <small className="quiet">
              version {seen.health.dependencies.version}, looked at {new Date(seen.at).toLocaleTimeString()}
            </small>
          </div>
        )}
      </div>
      {seen.state === 'away' && (
        <Message tone="error">The server does not answer. Trying again every few seconds.</Message>
      )}
      {seen.state === 'seen' && <Standing health={seen.health} />}
    </Shell>
  );
}

function Standing({ health: { readiness, dependencies } }: { health: Health }) {
  return (
    <>
      <Message tone={readiness.status === 'ready' ? 'plain' : 'error'}>{inWords(readiness)}</Message>
      <FactTable
        label="What the server depends on"
        columns={['Part', 'State', 'Answered in', 'Details']}
        rows={dependencies.checks.map(rowOf)}
      />
    </>
  );
}

const tones: Readonly<Record<DependencyCheck['status'], string>> = {
  healthy: 'plain',
  degraded: 'stale',
  unhealthy: 'error',
};

const rowOf = (check: DependencyCheck) => ({
  key: check.name,
  cells: [
    check.name.replaceAll('_', ' '),
    <Chip key="state" tone={tones[check.status]}>
      {check.status}
    </Chip>,
    `${check.latency_ms.toFixed(1)} ms`,
    detailsOf(check),
  ],
});

function inWords({ status, checks }: ReadinessBody): string {
  const { issues = [], active_scans, interactive_available, bulk_available } = checks;
  const places = `${interactive_available + bulk_available} scan slots are free, ${active_scans} are in use.`;
  return status === 'ready' ? `Ready for work. ${places}` : `Not ready: ${issues.join('; ') || 'see below'}. ${places}`;
}

const detailsOf = ({ message, details }: DependencyCheck): string =>
  [...(message === undefined ? [] : [message]), ...entriesOf(details)].join(', ');

const entriesOf = (details: object): string[] =>
  Object.entries(details).map(([name, value]) => `${name.replaceAll('_', ' ')} ${shown(name, value)}`);

function shown(name: string, value: unknown): string {
  if (typeof value === 'object' && value !== null) return `(${entriesOf(value).join(', ')})`;
  return typeof value === 'number' && name.endsWith('bytes') ? bytes(value) : String(value);
}
