// The files that cells read by plain names: what is there, what is on its way, and a cell that reads one.

import { useEffect, useRef, useState } from 'react';
import { usualLanguage } from '../../../src/cellLanguages.ts';
import { deleteFile, type FileEntry, type FilesBody, fileAddress, messageOf, readFiles } from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { download } from '../notebook/exporting.ts';
import { addCell } from '../notebook/structure.ts';
import { ago, bytes, useStore } from '../state/index.ts';
import { Button, copyText, Dialog, Icon, IconButton, Menu, type MenuItem, Message } from '../ui/index.ts';
import { connectFile, isDatabase } from './connectFile.ts';
import { readingCode } from './readingCode.ts';
import { UploadRow } from './UploadRow.tsx';
import './files.css';

export function Files() {
  const { uploads, isReadOnly } = useNotebook();
  const folder = useStore(uploads.store, (state) => state.folder);
  const sending = useStore(uploads.store, (state) => state.uploads);
  const { body, problem } = useListing(folder);
  const [doomed, setDoomed] = useState<FileEntry | null>(null);
  const enter = (path: string) => uploads.store.send({ kind: 'entered', folder: path });
  return (
    <>
      {!isReadOnly && <UploadButton />}
      {folder !== '' && <Way folder={folder} onEnter={enter} />}
      {problem !== null && <Message tone="error">{problem}</Message>}
      <ul className="rows">
        {sending.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
        {body?.entries.map((entry) => (
          <li key={entry.path}>
            {entry.kind === 'folder' ? (
              <button type="button" className="row folder-row" onClick={() => enter(entry.path)}>
                <Icon name="folder" />
                <span>{entry.name}</span>
                <Icon name="chevron" size={12} />
              </button>
            ) : (
              <FileRow entry={entry} onDelete={() => setDoomed(entry)} />
            )}
          </li>
        ))}
      </ul>
      {body && body.total > body.entries.length && (
        <p className="panel-note">
          The first {body.entries.length} of {body.total}; a cell can list them all.
        </p>
      )}
      {body?.total === 0 && sending.length === 0 && (
        <p className="panel-note">
          {folder === '' ? 'No files yet. Drop some anywhere on the page; cells read them by name.' : 'Nothing here.'}
        </p>
      )}
      {doomed && <DeleteQuestion entry={doomed} onClose={() => setDoomed(null)} />}
    </>
  );
}

interface Listing {
  readonly body: FilesBody | null;
  readonly problem: string | null;
}

/** Read again when files came or went, and when cells have run: they may have written some. */
function useListing(folder: string): Listing {
  const { sessionId, uploads } = useNotebook();
  const changes = useStore(uploads.store, (state) => state.changes);
  const statuses = useModel((model) => model.order.map((id) => model.cells.get(id)?.status).join());
  const [listing, setListing] = useState<Listing>({ body: null, problem: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: changes are a reason to look, not something to look with
  useEffect(() => {
    if (statuses.includes('running')) return;
    const leaving = new AbortController();
    readFiles(sessionId, folder, leaving.signal).then(
      (body) => setListing({ body, problem: null }),
      (error: unknown) => {
        if (!leaving.signal.aborted) setListing({ body: null, problem: messageOf(error) });
      },
    );
    return () => leaving.abort();
  }, [sessionId, folder, changes, statuses]);
  return listing;
}

function UploadButton() {
  const { uploads } = useNotebook();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="files-top">
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => {
          uploads.send(event.target.files ?? []);
          event.target.value = '';
        }}
      />
      <Button onClick={() => input.current?.click()}>
        <Icon name="upload" size={14} />
        Upload files
      </Button>
    </div>
  );
}

/** The folders above, each a step back. */
function Way({ folder, onEnter }: { folder: string; onEnter: (path: string) => void }) {
  const names = folder.split('/');
  return (
    <nav className="way" aria-label="Folders above">
      <Button look="quiet" onClick={() => onEnter('')}>
        Files
      </Button>
      {names.map((name, index) => {
        const path = names.slice(0, index + 1).join('/');
        return path === folder ? (
          <b key={path}>/ {name}</b>
        ) : (
          <Button key={path} look="quiet" onClick={() => onEnter(path)}>
            / {name}
          </Button>
        );
      })}
    </nav>
  );
}

function FileRow({ entry, onDelete }: { entry: FileEntry; onDelete: () => void }) {
  const session = useNotebook();
  const { name, path } = entry;
  const { sessionId, isReadOnly } = session;
  const read = (): void => {
    const { cells, order } = session.store.get();
    const taken = new Set([...cells.values()].flatMap(({ defines }) => defines));
    const after = session.view.get().selected ?? order.at(-1) ?? null;
    void addCell(session, after, usualLanguage, readingCode(path, taken), 'command');
  };
  const items = (): readonly MenuItem[] => [
    ...(isReadOnly ? [] : [{ label: 'Read in a new cell', run: read }]),
    { label: 'Copy path', run: () => void copyText(path) },
    { label: 'Download', run: () => download(fileAddress(sessionId, path)) },
    ...(isReadOnly ? [] : [{ label: 'Delete …', danger: true, separated: true, run: onDelete }]),
  ];
  return (
    <div className="file-row">
      <Icon name="file" />
      <span title={`${name}, changed ${ago(entry.modified_at * 1000)}`}>{name}</span>
      <small>{bytes(entry.bytes ?? 0)}</small>
      {!isReadOnly && isDatabase(name) && (
        <Button look="quiet" aria-label={`Connect ${name}`} onClick={() => void connectFile(session, path)}>
          Connect
        </Button>
      )}
      {!isReadOnly && !isDatabase(name) && (
        <IconButton icon="plus" label={`Read ${name} in a new cell`} onClick={read} />
      )}
      <Menu label={`More for ${name}`} items={items}>
        <Icon name="more" />
      </Menu>
    </div>
  );
}

function DeleteQuestion({ entry, onClose }: { entry: FileEntry; onClose: () => void }) {
  const { sessionId, uploads } = useNotebook();
  const [problem, setProblem] = useState<string | null>(null);
  const remove = (): void => {
    deleteFile(sessionId, entry.path).then(
      () => {
        uploads.store.send({ kind: 'changed' });
        onClose();
      },
      (error: unknown) => setProblem(messageOf(error)),
    );
  };
  return (
    <Dialog title={`Delete ${entry.name}?`} onClose={onClose}>
      <p>This cannot be undone. Cells that have read it keep their results.</p>
      {problem !== null && <Message tone="error">{problem}</Message>}
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" onClick={remove}>
          Delete
        </Button>
      </footer>
    </Dialog>
  );
}
