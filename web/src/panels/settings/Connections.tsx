// The databases that SQL cells ask by name.
import type { ConnectionRecord } from '../../../../src/protocol/index.ts';
import { setConnections } from '../../api/index.ts';
import { useModel, useNotebook } from '../../notebook/context.ts';
import { Message } from '../../ui/index.ts';
import { Entries, Line, missingName, objectionToNames } from './Entries.tsx';
import { rebaseNamed } from './rebase.ts';
import { SchemaTree } from './SchemaTree.tsx';
import { SettingForm } from './SettingForm.tsx';
import { useSetting } from './useSetting.ts';

type FieldLine = readonly [key: string, label: string, example: string];

/** Keys of each driver that people set; others stay as the file has them. */
const drivers: Readonly<Record<string, readonly FieldLine[]>> = {
  duckdb: [['path', 'File', ':memory:']],
  sqlite: [['path', 'File', 'work/shop.db']],
  postgresql: [
    ['host', 'Host', 'db.example.org'],
    ['port', 'Port', '5432'],
    ['database', 'Database', 'shop'],
  ],
  snowflake: [
    ['account', 'Account', ''],
    ['warehouse', 'Warehouse', ''],
    ['database', 'Database', ''],
    ['schema', 'Schema', 'PUBLIC'],
    ['role', 'Role', ''],
  ],
  bigquery: [
    ['project_id', 'Project', ''],
    ['dataset_id', 'Dataset', ''],
  ],
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a reference to a variable is written
const reference = '${DB_PASSWORD}';

const signsIn = new Set(['postgresql', 'snowflake']);

const made = (): ConnectionRecord => ({
  name: '',
  driver: 'duckdb',
  auth: {},
  options: {},
  credential: null,
  path: ':memory:',
});

function objection(connections: readonly ConnectionRecord[]): string | null {
  const odd = connections.find(({ port }) => port !== undefined && !isPort(port));
  return objectionToNames(connections) ?? (odd ? `${odd.name}: the port is a number from 1 to 65535.` : null);
}

const isPort = (port: unknown): boolean => Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536;

function missing(connections: readonly ConnectionRecord[]): string | null {
  const bare = connections.find(({ driver, path, credential }) => driver === 'sqlite' && !path && credential === null);
  return (
    missingName(connections, 'connection') ??
    (bare ? `${bare.name} has no file: write where the database lies, such as work/shop.db.` : null)
  );
}

const placeKeys = new Set(Object.values(drivers).flatMap((lines) => lines.map(([key]) => key)));

/** Another kind of database: what says where the old one lies means nothing to it. */
function withDriver(connection: ConnectionRecord, driver: string): ConnectionRecord {
  const kept = Object.entries(connection).filter(([key]) => !placeKeys.has(key));
  const { name, auth, options, credential } = connection;
  const place = driver === 'duckdb' ? { path: ':memory:' } : {};
  return { ...Object.fromEntries(kept), name, auth, options, credential, driver, ...place };
}

/** What is shown empty is a secret that only the server holds; once it is gone nobody can bring it back. */
const canGoBack = (before: readonly ConnectionRecord[], after: readonly ConnectionRecord[]): boolean =>
  before.every(
    ({ name, auth }) => !Object.values(auth).includes('') || after.some((connection) => connection.name === name),
  );

export function Connections() {
  const { sessionId } = useNotebook();
  const saved = useModel((model) => model.connections);
  const malformed = useModel((model) => model.malformedConnections);
  const setting = useSetting<readonly ConnectionRecord[]>({
    id: 'connections',
    saved,
    doing: 'setting connections',
    write: (connections) => setConnections(sessionId, connections),
    objection,
    missing,
    rebase: rebaseNamed(({ name }) => name),
    readFrom: ({ connections }) => connections,
    canGoBack,
  });
  return (
    <>
      <SettingForm
        setting={setting}
        hint={
          <>
            SQL cells name one in a line <code>#&nbsp;@sql connection=name</code>.
          </>
        }
      >
        {() => (
          <>
            {malformed.map(({ name, error }) => (
              <Message key={name} tone="error">
                {name} in notebook.toml cannot be used: {error}
              </Message>
            ))}
            <Entries
              entries={setting.value}
              noun="connection"
              made={made}
              onChange={setting.change}
              fields={(connection, change) => <Fields connection={connection} change={change} />}
            />
          </>
        )}
      </SettingForm>
      {saved.map(({ name, driver }) => (
        <SchemaTree key={name} connection={name} driver={driver} />
      ))}
    </>
  );
}

const textIn = (connection: ConnectionRecord, key: string): string => {
  const value = connection[key];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

function Fields({
  connection,
  change,
}: {
  connection: ConnectionRecord;
  change: (connection: ConnectionRecord) => void;
}) {
  const { name, driver, auth, credential } = connection;
  const put = (key: string, text: string): void => {
    const next = { ...connection, [key]: key === 'port' && /^\d+$/.test(text) ? Number(text) : text };
    if (text === '') Reflect.deleteProperty(next, key);
    change(next);
  };
  const sign = (key: string, text: string): void => change({ ...connection, auth: { ...auth, [key]: text } });
  return (
    <>
      <Line
        label="Name"
        value={name}
        example="shop"
        onChange={(text) => change({ ...connection, name: text.trim() })}
      />
      <label className="labelled">
        <span>Kind</span>
        <select
          className="input"
          value={driver}
          onChange={(event) => change(withDriver(connection, event.target.value))}
        >
          {Object.keys(drivers).map((one) => (
            <option key={one}>{one}</option>
          ))}
          {!Object.hasOwn(drivers, driver) && <option>{driver}</option>}
        </select>
      </label>
      {(drivers[driver] ?? []).map(([key, label, example]) => (
        <Line
          key={key}
          label={label}
          example={example}
          value={textIn(connection, key)}
          onChange={(text) => put(key, text.trim())}
        />
      ))}
      {signsIn.has(driver) && (
        <>
          <Line
            label="User"
            value={auth.user ?? ''}
            example={Object.hasOwn(auth, 'user') ? 'kept' : ''}
            onChange={(text) => sign('user', text)}
          />
          <Line
            label="Password"
            type={auth.password?.startsWith('${') ? 'text' : 'password'}
            value={auth.password ?? ''}
            example={Object.hasOwn(auth, 'password') ? 'kept' : reference}
            onChange={(text) => sign('password', text)}
          />
        </>
      )}
      <Line
        label="Credential"
        value={credential ?? ''}
        example="none"
        onChange={(text) => change({ ...connection, credential: text.trim() || null })}
      />
    </>
  );
}
