// What cells find in their environment: variables that are written here, and those that a secret manager gives.
import { useState } from 'react';
import { messageOf, refreshSecrets, setEnv, setSecretManager } from '../../api/index.ts';
import { useModel, useNotebook } from '../../notebook/context.ts';
import type { NotebookModel } from '../../state/index.ts';
import { Button, IconButton, Message } from '../../ui/index.ts';
import { rebaseFields, rebaseNamed } from './rebase.ts';
import { SettingForm } from './SettingForm.tsx';
import { useSetting } from './useSetting.ts';

/** What the server shows in place of a secret; sent back, it keeps the secret. */
const mask = '__svc_masked__';

type Row = readonly [name: string, value: string];

export function Variables() {
  return (
    <>
      <EnvironmentVariables />
      <SecretManager />
    </>
  );
}

function EnvironmentVariables() {
  const { sessionId } = useNotebook();
  const env = useModel((model) => model.env);
  const secrets = useModel((model) => model.secrets);
  const setting = useSetting<readonly Row[]>({
    id: 'env',
    saved: writtenHere({ env, secrets }),
    doing: 'setting variables',
    write: (rows) =>
      setEnv(sessionId, Object.fromEntries(rows.map(([name, value]) => [name.trim(), value] as const).filter(hasName))),
    objection: objectionToRows,
    rebase: rebaseNamed(([name]) => name.trim()),
    readFrom: writtenHere,
    // A secret that is gone is known to nobody any more.
    canGoBack: (before, after) =>
      before.every(
        ([name, value]) => value !== mask || after.some(([other, text]) => other.trim() === name && text === mask),
      ),
  });
  const rows = setting.value;
  const put = (index: number, row: Row): void => setting.change(rows.map((one, at) => (at === index ? row : one)));
  return (
    <SettingForm
      setting={setting}
      hint="Values of names with KEY, SECRET, TOKEN, PASSWORD or CREDENTIAL are never written to disk nor shown again: enter them again after the server restarts."
    >
      {() => (
        <>
          {rows.map(([name, value], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is what stands in its place, whatever it is called
            <div key={index} className="env-row">
              <input
                className="input mono"
                aria-label="Name"
                placeholder="NAME"
                value={name}
                onChange={(event) => put(index, [event.target.value, value])}
              />
              <input
                className="input mono"
                aria-label={`Value of ${name}`}
                type={value === mask || looksSecret(name) ? 'password' : 'text'}
                autoComplete="off"
                placeholder={env[name] === '' && looksSecret(name) ? 'write again' : undefined}
                title={value === mask ? 'Kept secret; type to replace it' : undefined}
                value={value}
                onFocus={(event) => event.currentTarget.select()}
                onChange={(event) => put(index, [name, event.target.value])}
              />
              <IconButton
                icon="close"
                label={`Remove ${name}`}
                onClick={() => setting.change(rows.filter((_, at) => at !== index))}
              />
            </div>
          ))}
          <Button onClick={() => setting.change([...rows, ['', '']])}>Add a variable</Button>
        </>
      )}
    </SettingForm>
  );
}

/** Without those that a secret manager gave. */
const writtenHere = ({ env, secrets }: Pick<NotebookModel, 'env' | 'secrets'>): readonly Row[] =>
  Object.entries(env).filter(([name]) => !secrets.names.includes(name));

const hasName = ([name]: Row): boolean => name !== '';
const looksSecret = (name: string): boolean => /KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL/i.test(name);

function objectionToRows(rows: readonly Row[]): string | null {
  const names = rows.map(([name]) => name.trim()).filter((name) => name !== '');
  const odd = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (odd !== undefined) return `${odd}: use letters, digits and _, and do not begin with a digit.`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `${twice} is there twice: remove one of them.`;
  if (rows.some(([name, value]) => name.trim() === '' && value !== '')) return 'A value has no name: write one.';
  return null;
}

const managerFields = [
  ['provider', 'Provider', 'infisical'],
  ['project_id', 'Project', ''],
  ['environment', 'Environment', 'dev'],
  ['path', 'Path', '/'],
  ['base_url', 'Address', 'https://…'],
] as const;

function SecretManager() {
  const { sessionId } = useNotebook();
  const { config, names, problem } = useModel((model) => model.secrets);
  const [refusal, setRefusal] = useState<string | null>(null);
  const setting = useSetting<Readonly<Record<string, string>>>({
    id: 'secretManager',
    saved: Object.fromEntries(managerFields.map(([key]) => [key, config[key] ?? ''])),
    doing: 'setting the secret manager',
    write: (wanted) => setSecretManager(sessionId, wanted),
    rebase: rebaseFields,
    objection: (wanted) =>
      wanted.provider === '' && Object.values(wanted).some((value) => value !== '')
        ? 'Write which provider to ask, or clear the other fields.'
        : null,
  });
  const isOn = Object.keys(config).length > 0;
  return (
    <SettingForm
      setting={setting}
      hint="Its own key is set by the operator; values stay in memory and are never written to disk."
    >
      {() => (
        <>
          {managerFields.map(([key, label, example]) => (
            <label key={key} className="labelled">
              <span>{label}</span>
              <input
                className="input"
                placeholder={example}
                value={setting.value[key] ?? ''}
                onChange={(event) => setting.change({ ...setting.value, [key]: event.target.value })}
              />
            </label>
          ))}
          {problem !== null && <Message tone="error">{problem}</Message>}
          {refusal !== null && <Message tone="error">{refusal}</Message>}
          {names.length > 0 && <p className="panel-note">It gave {names.join(', ')}.</p>}
          {isOn && !setting.isDirty && (
            <Button
              look="quiet"
              onClick={() =>
                refreshSecrets(sessionId).then(
                  () => setRefusal(null),
                  (error: unknown) => setRefusal(messageOf(error)),
                )
              }
            >
              Fetch again
            </Button>
          )}
        </>
      )}
    </SettingForm>
  );
}
