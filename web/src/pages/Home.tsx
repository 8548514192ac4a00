// The first page: every notebook there is, the recent ones first, and the ways to a new one.
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { NotebookState } from '../../../src/protocol/index.ts';
import {
  createNotebook,
  deleteNotebook,
  discover,
  importNotebook,
  messageOf,
  openOrRead,
  openSessions,
} from '../api/index.ts';
import { type FileBeside, keepBeside } from '../filesBeside.ts';
import { keepReport } from '../importReports.ts';
import { forget, recents, remember } from '../recents.ts';
import { go, notebookHash } from '../route.ts';
import { useIsShared, useLacks } from '../scopes.ts';
import { announce, Button, Message } from '../ui/index.ts';
import { broughtOf } from './broughtFiles.ts';
import { CreateDialog } from './CreateDialog.tsx';
import { DeleteDialog } from './DeleteDialog.tsx';
import { DropZone } from './DropZone.tsx';
import { FirstNotebook } from './FirstNotebook.tsx';
import { ImportButton } from './ImportButton.tsx';
import { NotebookList } from './NotebookList.tsx';
import { type ListedNotebook, listed } from './notebookRows.ts';
import { OpenDialog } from './OpenDialog.tsx';
import { Shell } from './Shell.tsx';
import './home.css';

type Found =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'found'; readonly root: string; readonly notebooks: readonly ListedNotebook[] };

type Asking =
  | { readonly kind: 'create' }
  | { readonly kind: 'open' }
  | { readonly kind: 'delete'; readonly notebook: ListedNotebook };

export function Home() {
  const [found, setFound] = useState<Found>({ state: 'loading' });
  const [search, setSearch] = useState('');
  const [asking, setAsking] = useState<Asking | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const mayOnlyRead = useLacks('notebook:write');
  const isShared = useIsShared();

  const look = useCallback(async (signal?: AbortSignal) => {
    try {
      const [{ root, notebooks }, sessions] = await Promise.all([
        discover(signal),
        openSessions().catch(() => ({ sessions: [] })),
      ]);
      setFound({ state: 'found', root: root ?? '', notebooks: listed(notebooks, sessions.sessions, recents()) });
    } catch (error) {
      if (!signal?.aborted) setFound({ state: 'failed', reason: messageOf(error) });
    }
  }, []);

  useEffect(() => {
    document.title = 'Notebooks';
    const gone = new AbortController();
    void look(gone.signal);
    return () => gone.abort();
  }, [look]);

  /** Every way into a notebook ends the same: it is remembered, and its page opens. */
  function arrive({ session_id, path, name }: NotebookState): void {
    remember({ sessionId: session_id, path, name });
    go(notebookHash(session_id));
  }

  async function enter(word: string, opening: () => Promise<NotebookState>): Promise<void> {
    setBusy(word);
    setProblem(null);
    try {
      arrive(await opening());
    } catch (error) {
      setProblem(messageOf(error));
      announce(messageOf(error));
    } finally {
      setBusy(null);
    }
  }

  function bring(files: readonly FileBeside[]): void {
    const brought = broughtOf(files);
    if (!brought) {
      setProblem('Import one notebook at a time: choose one .ipynb file and the files beside it.');
      return;
    }
    const { notebook, beside } = brought;
    void enter(`Importing ${notebook.name} …`, async () => {
      const imported = await importNotebook(notebook, beside, (part) =>
        setBusy(part < 1 ? `Sending ${notebook.name}: ${Math.floor(part * 100)} %` : `Reading ${notebook.name} …`),
      );
      keepReport(imported.path, imported.import_report);
      keepBeside(imported.path, beside);
      return imported;
    });
  }

  const shown = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const all = found.state === 'found' ? found.notebooks : [];
    return all.filter(({ name, path }) => words.every((word) => `${name} ${path}`.toLowerCase().includes(word)));
  }, [found, search]);

  return (
    <Shell>
      <DropZone onFiles={mayOnlyRead ? null : bring}>
        <div className="shell-head">
          <h1>Notebooks</h1>
          <div className="shell-actions">
            {!mayOnlyRead && (
              <>
                <ImportButton onFiles={bring} />
                <Button onClick={() => setAsking({ kind: 'open' })}>Open by path</Button>
                <Button look="primary" onClick={() => setAsking({ kind: 'create' })}>
                  New notebook
                </Button>
              </>
            )}
          </div>
        </div>
        {mayOnlyRead && (
          <Message>
            You may look at notebooks here, not change or make them. Ask whoever runs the server for notebook:write.
          </Message>
        )}
        {busy !== null && <Message>{busy}</Message>}
        {problem !== null && <Message tone="error">{problem}</Message>}
        {found.state === 'loading' && <p role="status">Looking for notebooks …</p>}
        {found.state === 'failed' && (
          <Message tone="error" action={<Button onClick={() => void look()}>Try again</Button>}>
            The list could not be read. {found.reason}
          </Message>
        )}
        {found.state === 'found' && found.notebooks.length === 0 && !mayOnlyRead && (
          <FirstNotebook
            root={found.root}
            onStart={() =>
              void enter('Creating your first notebook …', () =>
                createNotebook({ parent_path: '.', name: 'First steps', python_version: null, starter_cell: true }),
              )
            }
          />
        )}
        {found.state === 'found' && found.notebooks.length > 0 && (
          <NotebookList
            notebooks={shown}
            total={found.notebooks.length}
            root={found.root}
            search={search}
            mayImport={!mayOnlyRead}
            mayDelete={!isShared}
            onSearch={setSearch}
            onOpen={({ name, path }) => void enter(`Opening ${name} …`, async () => (await openOrRead(path)).state)}
            onDelete={(notebook) => setAsking({ kind: 'delete', notebook })}
          />
        )}
      </DropZone>
      {asking?.kind === 'create' && (
        <CreateDialog onClose={() => setAsking(null)} onCreate={async (wish) => arrive(await createNotebook(wish))} />
      )}
      {asking?.kind === 'open' && (
        <OpenDialog onClose={() => setAsking(null)} onOpen={async (path) => arrive((await openOrRead(path)).state)} />
      )}
      {asking?.kind === 'delete' && (
        <DeleteDialog
          name={asking.notebook.name}
          path={asking.notebook.path}
          onClose={() => setAsking(null)}
          onDelete={async () => {
            await deleteNotebook(asking.notebook.path);
            forget(asking.notebook.path);
            setAsking(null);
            announce(`${asking.notebook.name} was deleted`);
            await look();
          }}
        />
      )}
    </Shell>
  );
}
