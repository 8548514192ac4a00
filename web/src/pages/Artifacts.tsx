// Everything that is stored, version by version.
import { useEffect, useState } from 'react';
import { ApiError, type ArtifactRow, messageOf, readArtifacts } from '../api/index.ts';
import { ago, bytes } from '../state/index.ts';
import { Button, Chip, Message } from '../ui/index.ts';
import { FactTable } from './FactTable.tsx';
import { Shell } from './Shell.tsx';

const pageSize = 100;

export function ArtifactsPage() {
  const [state, setState] = useState('');
  const [prefix, setPrefix] = useState('');
  const [offset, setOffset] = useState(0);
  const [rows, setRows] = useState<readonly ArtifactRow[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    document.title = 'Artifacts';
    const gone = new AbortController();
    readArtifacts({ state, prefix, offset }, gone.signal).then(
      ({ artifacts }) => {
        setRows(artifacts);
        setProblem(null);
      },
      (error: unknown) => {
        if (gone.signal.aborted) return;
        setProblem(
          error instanceof ApiError && error.isMissing ? 'This server does not list artifacts yet.' : messageOf(error),
        );
      },
    );
    return () => gone.abort();
  }, [state, prefix, offset]);

  return (
    <Shell>
      <div className="shell-head">
        <h1>Artifacts</h1>
        <div className="shell-actions">
          <select className="input" aria-label="State" value={state} onChange={(event) => setState(event.target.value)}>
            <option value="">every state</option>
            {['ready', 'building', 'failed', 'superseded'].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <input
            className="input mono"
            aria-label="Name begins with"
            placeholder="name begins with"
            value={prefix}
            onChange={(event) => setPrefix(event.target.value)}
          />
        </div>
      </div>
      {problem !== null && <Message>{problem}</Message>}
      {rows !== null && rows.length === 0 && problem === null && (
        <Nothing isSought={state !== '' || prefix !== '' || offset > 0} />
      )}
      {rows !== null && rows.length > 0 && (
        <>
          <FactTable label="Artifacts" columns={columns} rows={rows.map(rowOf)} />
          <div className="shell-actions">
            <Button disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - pageSize))}>
              Newer
            </Button>
            <Button disabled={rows.length < pageSize} onClick={() => setOffset(offset + pageSize)}>
              Older
            </Button>
          </div>
        </>
      )}
    </Shell>
  );
}

const columns = ['Artifact', 'Version', 'State', 'Rows', 'Size', 'Made'];

const rowOf = (row: ArtifactRow) => ({
  key: `${row.artifact_id}@${row.version}`,
  cells: [
    <code key="id">{row.artifact_id}</code>,
    row.version,
    <Chip key="state" tone={row.state === 'failed' ? 'error' : 'plain'}>
      {row.state}
    </Chip>,
    row.row_count?.toLocaleString('en') ?? '',
    row.byte_size === null ? '' : bytes(row.byte_size),
    ago(row.created_at * 1000),
  ],
});

function Nothing({ isSought }: { isSought: boolean }) {
  if (isSought) return <p className="home-none">No matches.</p>;
  return (
    <section className="home-first">
      <h2>Nothing is stored here yet</h2>
      <p>
        Results of a notebook are kept in its own folder. Here is what is meant for others: what cells and programs
        store under a name, and what builds make.
      </p>
      <p>
        In a cell: <code>svc.put([], "fit@v1", value, name="best")</code>
      </p>
    </section>
  );
}
