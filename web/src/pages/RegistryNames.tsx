// Names as rows: which version each points at, its aliases and tags.
import { useMemo, useState } from 'react';
import type { RegisteredName } from '../api/registry.ts';
import { Button, Chip, Message } from '../ui/index.ts';
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

function NameTable(props: NamesProps) {
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
            <th>
              <span className="unseen">Look</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.names.map((one) => (
            <tr key={`${one.tenant} ${one.name}`}>
              <td>{one.name}</td>
              <td title={one.uri}>
                <code>{shortVersion(one.uri)}</code>
              </td>
              <td>
                {Object.entries(one.alias_uris).map(([alias, uri]) => (
                  <Chip key={alias} tone="accent" title={uri}>
                    {alias} {uri === one.uri ? '' : shortVersion(uri)}
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
              <td>
                {one.readers.length === 0 ? '' : `${one.readers.length} ${one.readers.length === 1 ? 'cell' : 'cells'}`}
              </td>
              <td>
                <Button
                  look="quiet"
                  aria-label={`Versions of ${one.name}`}
                  onClick={() => props.onLook(one, 'versions')}
                >
                  Versions
                </Button>
                <Button look="quiet" aria-label={`Lineage of ${one.name}`} onClick={() => props.onLook(one, 'lineage')}>
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
