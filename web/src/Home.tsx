// The first page: which notebooks there are, and where to go from here.
import { useEffect, useState } from 'react';
import type { DiscoverBody } from '../../src/protocol/notebooks.ts';

type Found = { state: 'loading' } | { state: 'failed'; reason: string } | ({ state: 'found' } & DiscoverBody);

export function Home() {
  const [found, setFound] = useState<Found>({ state: 'loading' });

  useEffect(() => {
    const gone = new AbortController();
    fetchNotebooks(gone.signal).then(setFound, (error: unknown) => {
      if (!gone.signal.aborted)
        setFound({ state: 'failed', reason: error instanceof Error ? error.message : String(error) });
    });
    return () => gone.abort();
  }, []);

  return (
    <>
      <header>
        <strong>svc</strong>
        <nav aria-label="Documentation">
          <a href="./docs">API</a>
          <a href="./redoc">Reference</a>
        </nav>
      </header>
      <main>
        <h1>Notebooks</h1>
        <Notebooks found={found} />
      </main>
    </>
  );
}

function Notebooks({ found }: { found: Found }) {
  if (found.state === 'loading') return <p role="status">Looking for notebooks …</p>;
  if (found.state === 'failed') return <p role="alert">The list could not be read: {found.reason}</p>;
  if (found.notebooks.length === 0) {
    return (
      <p className="empty">
        No notebooks yet. They will live in <code>{found.root}</code>, one folder each.
      </p>
    );
  }
  return (
    <>
      <ul className="notebooks">
        {found.notebooks.map((notebook) => (
          <li key={notebook.path}>
            <span>{notebook.name ?? 'Untitled'}</span>
            <code>{notebook.path}</code>
            <time>{notebook.updated_at?.slice(0, 16) ?? ''}</time>
          </li>
        ))}
      </ul>
      <p className="quiet">
        In <code>{found.root}</code>
      </p>
    </>
  );
}

async function fetchNotebooks(signal: AbortSignal): Promise<Found> {
  const answer = await fetch('./v1/notebooks/discover', { signal });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  const body: DiscoverBody = await answer.json();
  return { state: 'found', ...body };
}
