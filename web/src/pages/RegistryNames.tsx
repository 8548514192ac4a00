// Names as rows: which version each points at, its aliases and tags.
import { Fragment, useMemo, useState } from 'react';
import type { RegisteredName } from '../api/registry.ts';
import { Button, Chip, Message } from '../ui/index.ts';
import { FactTable } from './FactTable.tsx';
import { shortVersion } from './registryWords.ts';

/** What of a name is looked at below the list. */
export type Looked = 'versions' | 'lineage';

interface NamesProps {
  readonly names: readonly RegisteredName[];
  readonly onLook: (name: RegisteredName, at: Looked) => void;
}

export function RegistryNames(props: NamesProps) {
  const [search, setSearch] = useState('');
  const [most, setMost] = useState(namesAtOnce);
  const found = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    return props.names.filter((one) => words.every((word) => textOf(one).includes(word)));
  }, [props.names, search]);
  if (props.names.length === 0)
    return <Message>No result has a name yet. A cell gives one with svc.put(…, name="models/best").</Message>;
  return (
    <>
      {props.names.length > fewNames && (
        <div className="registry-names-head registry-part">
          <input
            className="input"
            type="search"
            aria-label="Search names"
            placeholder="Search names, aliases and tags"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <small>
            {found.length.toLocaleString('en')} of {props.names.length.toLocaleString('en')}
          </small>
        </div>
      )}
      {found.length === 0 ? (
        <p className="home-none">No matches.</p>
      ) : (
        <NameTable names={found.slice(0, most)} onLook={props.onLook} />
      )}
      {found.length > most && (
        <Button onClick={() => setMost(most + namesAtOnce)}>
          Show {Math.min(namesAtOnce, found.length - most)} more
        </Button>
      )}
    </>
  );
}

const fewNames = 10;
const namesAtOnce = 100;

const textOf = ({ name, alias_uris, tags }: RegisteredName): string =>
  [name, ...Object.keys(alias_uris), ...Object.entries(tags).flat()].join(' ').toLowerCase();

const NameTable = ({ names, onLook }: NamesProps) => (
  <div className="registry-part">
    <FactTable
      label="Names"
      columns={['Name', 'Version', 'Aliases', 'Tags', 'Read by', { unseen: 'Look' }]}
      rows={names.map((one) => ({ key: `${one.tenant} ${one.name}`, cells: cellsOf(one, onLook) }))}
    />
  </div>
);

const cellsOf = (one: RegisteredName, onLook: NamesProps['onLook']) => [
  one.name,
  <code key="version" title={one.uri}>
    {shortVersion(one.uri)}
  </code>,
  Object.entries(one.alias_uris).map(([alias, uri]) => (
    <Chip key={alias} tone="accent" title={uri}>
      {alias} {uri === one.uri ? '' : shortVersion(uri)}
    </Chip>
  )),
  Object.entries(one.tags).map(([key, value]) => (
    <Chip key={key}>
      {key} {value}
    </Chip>
  )),
  one.readers.length === 0 ? '' : `${one.readers.length} ${one.readers.length === 1 ? 'cell' : 'cells'}`,
  <Fragment key="look">
    <Button look="quiet" aria-label={`Versions of ${one.name}`} onClick={() => onLook(one, 'versions')}>
      Versions
    </Button>
    <Button look="quiet" aria-label={`Lineage of ${one.name}`} onClick={() => onLook(one, 'lineage')}>
      Lineage
    </Button>
  </Fragment>,
];
