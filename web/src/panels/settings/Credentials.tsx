// Credentials that the operator of the server defines and notebooks name; for administrators. Values go in and never come out.
import { useEffect, useState } from 'react';
import { type CredentialSettings, messageOf, readCredentials, replaceCredentials } from '../../api/index.ts';
import { useObjection } from '../../notebook/rights.ts';
import { Button, IconButton, Message } from '../../ui/index.ts';
import { Changeable } from '../Changeable.tsx';
import { Entries, Line, missingName, objectionToNames } from './Entries.tsx';
import { rebaseNamed } from './rebase.ts';
import { SettingForm } from './SettingForm.tsx';
import { useSetting } from './useSetting.ts';

const scope = 'admin:notebook-credentials';

/** What the server shows in place of a value; sent back, it keeps the value. */
const hidden = '<redacted>';

interface Credential {
  readonly name: string;
  readonly fields: readonly (readonly [key: string, value: string])[];
  /** Folders whose notebooks may use it, one a line; empty for all. */
  readonly folders: string;
}

export function Credentials() {
  const objection = useObjection(scope);
  const [settings, setSettings] = useState<CredentialSettings | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (objection !== null) return;
    const leaving = new AbortController();
    readCredentials(leaving.signal).then(
      setSettings,
      (error: unknown) => leaving.signal.aborted || setProblem(messageOf(error)),
    );
    return () => leaving.abort();
  }, [objection]);
  // Whoever may not change them may not see them either: only the reason is there.
  if (objection !== null) return <Changeable needs={scope}>{null}</Changeable>;
  if (problem !== null) return <Message tone="error">{problem}</Message>;
  return settings === null ? null : <Form settings={settings} onSaved={setSettings} />;
}

function Form({
  settings,
  onSaved,
}: {
  settings: CredentialSettings;
  onSaved: (settings: CredentialSettings) => void;
}) {
  const setting = useSetting<readonly Credential[]>({
    id: 'credentials',
    saved: credentialsIn(settings),
    doing: 'setting credentials',
    write: async (credentials) => onSaved(await replaceCredentials(withCredentials(settings, credentials))),
    objection,
    missing,
    rebase: rebaseNamed(({ name }) => name),
    // What is replaced or removed is known to nobody any more.
    canGoBack: () => false,
  });
  return (
    <SettingForm
      setting={setting}
      needs={scope}
      hint={
        <>
          Mounts and connections of all notebooks name them. They hold until the server ends; lasting ones stand in{' '}
          <code>SVC_NOTEBOOK_CREDENTIALS</code>.
        </>
      }
    >
      {() => (
        <Entries
          entries={setting.value}
          noun="credential"
          made={(): Credential => ({ name: '', fields: [['', '']], folders: '' })}
          onChange={setting.change}
          fields={(credential, change) => <Fields credential={credential} change={change} />}
        />
      )}
    </SettingForm>
  );
}

function Fields({ credential, change }: { credential: Credential; change: (credential: Credential) => void }) {
  const { name, fields, folders } = credential;
  const put = (at: number, field: readonly [string, string]): void =>
    change({ ...credential, fields: fields.map((one, index) => (index === at ? field : one)) });
  return (
    <>
      <Line
        label="Name"
        value={name}
        example="lake"
        onChange={(text) => change({ ...credential, name: text.trim() })}
      />
      {fields.map(([key, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field is what stands in its place, whatever it is called
        <div key={at} className="env-row">
          <input
            className="input mono"
            aria-label="Field"
            placeholder="key"
            value={key}
            onChange={(event) => put(at, [event.target.value.trim(), value])}
          />
          <input
            className="input mono"
            aria-label={`Value of ${key}`}
            type={value.startsWith('${') ? 'text' : 'password'}
            autoComplete="off"
            title={value === hidden ? 'Kept secret; type to replace it' : undefined}
            value={value}
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => put(at, [key, event.target.value])}
          />
          <IconButton
            icon="close"
            label={`Remove ${key}`}
            onClick={() => change({ ...credential, fields: fields.filter((_, index) => index !== at) })}
          />
        </div>
      ))}
      <Button onClick={() => change({ ...credential, fields: [...fields, ['', '']] })}>Add a field</Button>
      <label className="labelled">
        <span>Folders</span>
        <textarea
          className="input mono"
          rows={2}
          placeholder="all notebooks"
          value={folders}
          onChange={(event) => change({ ...credential, folders: event.target.value })}
        />
      </label>
    </>
  );
}

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const credentialsIn = (settings: CredentialSettings): Credential[] =>
  Object.entries(settings.notebook_credentials).map(([name, fields]) => ({
    name,
    fields: Object.entries(fields),
    folders: (settings.notebook_credential_paths[name] ?? []).join('\n'),
  }));

/** The other settings go back as they were shown. */
const withCredentials = (settings: CredentialSettings, credentials: readonly Credential[]): CredentialSettings => ({
  ...settings,
  notebook_credentials: Object.fromEntries(
    credentials.map(({ name, fields }) => [name, Object.fromEntries(fields.filter(([key]) => key !== ''))]),
  ),
  notebook_credential_paths: Object.fromEntries(
    credentials.flatMap(({ name, folders }) => (linesIn(folders).length > 0 ? [[name, linesIn(folders)]] : [])),
  ),
});

function objection(credentials: readonly Credential[]): string | null {
  const loose = credentials.find(({ folders }) => linesIn(folders).some((line) => !line.startsWith('/')));
  if (loose) return `${loose.name}: write folders as absolute paths, one a line.`;
  return objectionToNames(credentials);
}

function missing(credentials: readonly Credential[]): string | null {
  const empty = credentials.find(({ fields }) => fields.every(([key]) => key === ''));
  return (
    missingName(credentials, 'credential') ?? (empty ? `${empty.name} has no field: add a key and its value.` : null)
  );
}
