// The versions that a name has pointed at, newest first, with the aliases of each; an alias is moved from here.
import { type FormEvent, useEffect, useState } from 'react';
import { messageOf } from '../api/index.ts';
import { type RegisteredName, readHistory, setAlias } from '../api/registry.ts';
import { useLacks } from '../scopes.ts';
import { ago } from '../state/index.ts';
import { announce, Button, Chip, focusBack, IconButton, Message } from '../ui/index.ts';
import { intoSight } from './intoSight.ts';
import { type PastVersion, shortVersion, versionsIn } from './registryWords.ts';

const versionsAtOnce = 20;

interface VersionsProps {
  readonly of: RegisteredName;
  readonly onLineage: (of: RegisteredName) => void;
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

export function NameVersions({ of, onLineage, onChanged, onClose }: VersionsProps) {
  const mayNotSet = useLacks('artifacts:write');
  const [versions, setVersions] = useState<readonly PastVersion[] | null>(null);
  const [most, setMost] = useState(versionsAtOnce);
  const [chosen, setChosen] = useState<string | null>(null);
  const [said, setSaid] = useState<{ readonly text: string; readonly tone: 'plain' | 'error' } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a name that was moved has another version
  useEffect(() => {
    const gone = new AbortController();
    readHistory(of.name, gone.signal).then(
      ({ entries }) => setVersions(versionsIn(entries)),
      (error: unknown) => gone.signal.aborted || setSaid({ text: messageOf(error), tone: 'error' }),
    );
    return () => gone.abort();
  }, [of.name, of.uri]);

  async function point(alias: string, version: PastVersion): Promise<void> {
    try {
      const { status } = await setAlias(of.name, alias, version);
      const place = `${alias} of ${of.name}`;
      const text =
        status === 'pending'
          ? `${place} is protected: the change waits until somebody approves it.`
          : `${place} is ${shortVersion(version.uri)}${status === 'unchanged' ? ' already' : ''}.`;
      setSaid({ text, tone: 'plain' });
      announce(text);
      setChosen(null);
      await onChanged();
    } catch (error) {
      setSaid({ text: messageOf(error), tone: 'error' });
    }
  }

  return (
    <section
      ref={intoSight}
      className="registry-part registry-lineage"
      tabIndex={-1}
      aria-label={`Versions of ${of.name}`}
    >
      <header>
        <h2>Versions of {of.name}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {said && <Message {...(said.tone === 'error' ? { tone: 'error' } : {})}>{said.text}</Message>}
      <ul className="registry-versions">
        {versions?.slice(0, most).map((version) => (
          <li key={version.uri}>
            <span>
              <code title={version.uri}>{shortVersion(version.uri)}</code>
              {version.uri === of.uri && <Chip>now</Chip>}
              {Object.entries(of.alias_uris).map(
                ([alias, uri]) =>
                  uri === version.uri && (
                    <Chip key={alias} tone="accent">
                      {alias}
                    </Chip>
                  ),
              )}
              <small>
                {ago(version.at * 1000)} by {version.by ?? 'somebody'}
              </small>
            </span>
            {chosen === version.uri ? (
              <AliasForm
                known={Object.keys(of.alias_uris)}
                onSet={(alias) => point(alias, version)}
                onLeave={() => setChosen(null)}
              />
            ) : (
              <span>
                {!mayNotSet && (
                  <Button
                    look="quiet"
                    aria-label={`Set an alias to ${shortVersion(version.uri)}`}
                    onClick={() => setChosen(version.uri)}
                  >
                    Set an alias
                  </Button>
                )}
                <Button
                  look="quiet"
                  aria-label={`Lineage of ${shortVersion(version.uri)}`}
                  onClick={() => onLineage({ ...of, ...version })}
                >
                  Lineage
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {versions && versions.length > most && (
        <Button onClick={() => setMost(most + 100)}>Show {Math.min(100, versions.length - most)} more</Button>
      )}
    </section>
  );
}

const usualAliases = ['champion', 'candidate'];

function AliasForm(props: { known: readonly string[]; onSet: (alias: string) => Promise<void>; onLeave: () => void }) {
  const [alias, setWord] = useState('');
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (alias.trim() !== '') void props.onSet(alias.trim());
  }
  return (
    <form ref={focusBack} className="registry-alias" onSubmit={submit}>
      <input
        // biome-ignore lint/a11y/noAutofocus: it opens because somebody asked for it
        autoFocus
        className="input"
        aria-label="Alias"
        placeholder="champion"
        list="registry-aliases"
        value={alias}
        onChange={(event) => setWord(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') props.onLeave();
        }}
      />
      <datalist id="registry-aliases">
        {[...new Set([...usualAliases, ...props.known])].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </datalist>
      <Button type="submit" look="primary" disabled={alias.trim() === ''}>
        Set
      </Button>
      <Button look="quiet" onClick={props.onLeave}>
        Cancel
      </Button>
    </form>
  );
}
