// A list of packages from a file: what it would change is shown before it changes anything.
import { useRef, useState } from 'react';
import { type Dependency, type ImportPreview, messageOf, type PackageList, previewImport } from '../../api/index.ts';
import { useNotebook } from '../../notebook/context.ts';
import { Button, Message } from '../../ui/index.ts';
import { changePackages } from './changing.ts';
import { differencesIn } from './differencesIn.ts';

interface Chosen {
  readonly file: string;
  readonly list: PackageList;
  readonly preview: ImportPreview;
}

export function ImportPackages() {
  const session = useNotebook();
  const { sessionId } = session;
  const picker = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  async function look(file: File): Promise<void> {
    setProblem(null);
    setChosen(null);
    try {
      const text = decoded(new Uint8Array(await file.arrayBuffer()));
      const list: PackageList = /\.ya?ml$/i.test(file.name) ? { environment_yaml: text } : { requirements: text };
      setChosen({ file: file.name, list, preview: await previewImport(sessionId, list) });
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  async function bring({ file, list }: Chosen): Promise<void> {
    setChosen(null);
    try {
      await changePackages(session, { action: 'import', take_readable: true, ...list }, `importing ${file}`);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="File with packages"
        accept=".txt,.in,.yml,.yaml"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = '';
          if (file) void look(file);
        }}
      />
      <Button title="requirements.txt or environment.yml" onClick={() => picker.current?.click()}>
        Import a list of packages …
      </Button>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {chosen && <Preview chosen={chosen} onBring={() => void bring(chosen)} onLeave={() => setChosen(null)} />}
    </>
  );
}

function Preview({ chosen, onBring, onLeave }: { chosen: Chosen; onBring: () => void; onLeave: () => void }) {
  const { file, preview } = chosen;
  const { added, changed, removed } = differencesIn(preview);
  const isSame = added.length + changed.length + removed.length === 0;
  return (
    <section className="import-preview" aria-label={`What ${file} would change`}>
      <h4>{file}</h4>
      {preview.warnings.length > 0 && (
        <div className="message stale">
          <div>
            <p>Not taken from it:</p>
            <ul className="import-list">
              {preview.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {isSame && <p className="panel-note">Nothing would change: no package in it is new.</p>}
      <Group title="Added" entries={added.map(written)} />
      <Group title="Changed" entries={changed.map(([before, after]) => `${written(before)} → ${written(after)}`)} />
      <Group title="Removed" entries={removed.map(written)} />
      <div className="inline-form">
        {!isSame && (
          <Button look="primary" onClick={onBring}>
            Import
          </Button>
        )}
        <Button look="quiet" onClick={onLeave}>
          {isSame ? 'Close' : 'Cancel'}
        </Button>
      </div>
    </section>
  );
}

/** PowerShell writes the lists of pip in 16 bits. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return new TextDecoder(isWide ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(bytes);
}

const written = ({ name, specifier, condition }: Dependency): string =>
  `${name}${specifier ?? ''}${condition === undefined ? '' : `; ${condition}`}`;

function Group({ title, entries }: { title: string; entries: readonly string[] }) {
  if (entries.length === 0) return null;
  return (
    <>
      <p className="panel-note">{title}</p>
      <ul className="import-list">
        {entries.map((entry) => (
          <li key={entry}>
            <code>{entry}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
