// Notebooks as rows: name and place, how one stands, when it last ran or changed.
import { ago } from '../state/index.ts';
import { Chip, copyText, Icon, Menu } from '../ui/index.ts';
import type { ListedNotebook } from './notebookRows.ts';

export function NotebookList(props: {
  notebooks: readonly ListedNotebook[];
  total: number;
  root: string;
  search: string;
  mayImport: boolean;
  mayDelete: boolean;
  onSearch: (text: string) => void;
  onOpen: (notebook: ListedNotebook) => void;
  onDelete: (notebook: ListedNotebook) => void;
}) {
  const { notebooks, root, mayImport, mayDelete, onOpen, onDelete } = props;
  return (
    <>
      <input
        className="input home-search"
        type="search"
        aria-label="Search notebooks"
        placeholder="Search by name or folder"
        value={props.search}
        onChange={(event) => props.onSearch(event.target.value)}
        onKeyDown={(event) => {
          const [first] = notebooks;
          if (event.key === 'Enter' && first) onOpen(first);
        }}
      />
      {notebooks.length === 0 && (
        <p className="home-none">
          None of {props.total} notebooks has “{props.search}” in its name or folder.
        </p>
      )}
      <ul className="home-list">
        {notebooks.map((notebook) => (
          <li key={notebook.path}>
            <button type="button" className="home-open" onClick={() => onOpen(notebook)}>
              <span className="home-name">{notebook.name}</span>
              <code>{shortPath(notebook.path, root)}</code>
            </button>
            <Standing notebook={notebook} />
            <time>{timeOf(notebook)}</time>
            <Menu
              label={`More for ${notebook.name}`}
              items={() => [
                { label: 'Open', run: () => onOpen(notebook) },
                { label: 'Copy its path', run: () => void copyText(notebook.path) },
                ...(mayDelete
                  ? [{ label: 'Delete …', danger: true, separated: true, run: () => onDelete(notebook) }]
                  : []),
              ]}
            >
              <Icon name="more" />
            </Menu>
          </li>
        ))}
      </ul>
      <p className="home-root">
        In <code>{root}</code>.
        {mayImport && (
          <>
            {' '}
            Drop an <code>.ipynb</code> file here to import it, or its folder with the files beside it.
          </>
        )}
      </p>
    </>
  );
}

function Standing({ notebook: { isOpen, isRunning, lastRun } }: { notebook: ListedNotebook }) {
  const failed = lastRun?.failed_cells ?? 0;
  return (
    <>
      {!isRunning && failed > 0 && <Chip tone="error">{failed === 1 ? '1 cell fails' : `${failed} cells fail`}</Chip>}
      {isRunning ? <Chip tone="accent">running</Chip> : isOpen && <Chip tone="accent">open</Chip>}
    </>
  );
}

const timeOf = ({ openedAt, updatedAt, lastRun }: ListedNotebook): string => {
  if (lastRun !== null) return `ran ${ago(lastRun.at)}`;
  if (updatedAt === null && openedAt === null) return '';
  return (openedAt ?? 0) > (updatedAt ?? 0) ? `opened ${ago(openedAt ?? 0)}` : `changed ${ago(updatedAt ?? 0)}`;
};

const shortPath = (path: string, root: string): string =>
  path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
