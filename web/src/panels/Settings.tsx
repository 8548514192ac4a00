// What cells run with: their time limit and their environment variables. Nothing is changed until it is saved.
import { useEffect, useState } from 'react';
import { messageOf, setEnv, setTimeoutSeconds } from '../api/index.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { askAboveSeconds, chooseAskAbove } from '../notebook/running.ts';
import { Button, Field, IconButton, Message } from '../ui/index.ts';

export function Settings() {
  return (
    <div className="stack">
      <Folder />
      <Timeout />
      <Variables />
      <Cascades />
    </div>
  );
}

function Folder() {
  const path = useModel((model) => model.path);
  return (
    <section>
      <h3>Folder of data files</h3>
      <code>{path}/work</code>
      <p className="panel-note">Cells run here: a file in it is read by its name alone.</p>
    </section>
  );
}

function Timeout() {
  const { sessionId, link, undo } = useNotebook();
  const timeout = useModel((model) => model.timeout);
  const [text, setText] = useState(timeout === null ? '' : String(timeout));
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => setText(timeout === null ? '' : String(timeout)), [timeout]);
  const isChanged = text !== (timeout === null ? '' : String(timeout));
  async function save(): Promise<void> {
    try {
      const set = async (seconds: number | null): Promise<void> => {
        await setTimeoutSeconds(sessionId, seconds);
        link.send('notebook_sync', {});
      };
      const wanted = text.trim() === '' ? null : Number(text);
      await set(wanted);
      undo.did(
        'setting the time limit',
        () => set(timeout),
        () => set(wanted),
      );
      setProblem(null);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }
  return (
    <Field
      label="Time limit of a cell, in seconds"
      hint={'Empty: 300 seconds. A cell can set its own with #\u00a0@timeout.'}
    >
      {(id, hint) => (
        <>
          <div className="inline-form">
            <input
              id={id}
              aria-describedby={hint}
              className="input"
              inputMode="decimal"
              placeholder="300"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            {isChanged && <Button onClick={() => void save()}>Save</Button>}
          </div>
          {problem !== null && <Message tone="error">{problem}</Message>}
        </>
      )}
    </Field>
  );
}

type Row = { readonly id: number; readonly name: string; readonly value: string };

const rowsOf = (env: Readonly<Record<string, string>>): Row[] =>
  Object.entries(env).map(([name, value], id) => ({ id, name, value }));

const mask = '__svc_masked__';

function Variables() {
  const { sessionId, link, undo } = useNotebook();
  const env = useModel((model) => model.env);
  const [rows, setRows] = useState<Row[]>(() => rowsOf(env));
  const [problem, setProblem] = useState<string | null>(null);
  const isChanged =
    JSON.stringify(rows.map(({ name, value }) => [name, value])) !== JSON.stringify(Object.entries(env));
  const change = (id: number, change: Partial<Row>) =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...change } : row)));
  async function save(): Promise<void> {
    try {
      const wanted = rows.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]);
      const set = async (values: Readonly<Record<string, string>>): Promise<void> => {
        setRows(rowsOf((await setEnv(sessionId, values)).env));
        link.send('notebook_sync', {});
      };
      const next = Object.fromEntries(wanted);
      await set(next);
      // A secret that is gone is known to nobody any more.
      if (Object.entries(env).every(([name, value]) => value !== mask || next[name] === mask))
        undo.did(
          'setting variables',
          () => set(env),
          () => set(next),
        );
      setProblem(null);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }
  return (
    <section>
      <h3>Environment variables</h3>
      <div className="stack">
        {rows.map(({ id, name, value }) => (
          <div key={id} className="env-row">
            <input
              className="input mono"
              aria-label="Name"
              value={name}
              onChange={(event) => change(id, { name: event.target.value })}
            />
            <input
              className="input mono"
              aria-label={`Value of ${name}`}
              type={value === mask ? 'password' : 'text'}
              title={value === mask ? 'Kept secret; type to replace it' : value}
              value={value}
              onFocus={(event) => event.currentTarget.select()}
              onChange={(event) => change(id, { value: event.target.value })}
            />
            <IconButton
              icon="close"
              label={`Remove ${name}`}
              onClick={() => setRows(rows.filter((row) => row.id !== id))}
            />
          </div>
        ))}
        <div className="inline-form">
          <Button
            look="quiet"
            onClick={() =>
              setRows([...rows, { id: Math.max(0, ...rows.map((row) => row.id + 1)), name: '', value: '' }])
            }
          >
            Add a variable
          </Button>
          {isChanged && <Button onClick={() => void save()}>Save</Button>}
        </div>
        {problem !== null && <Message tone="error">{problem}</Message>}
        <p className="panel-note">
          Names with KEY, SECRET, TOKEN or PASSWORD are never written to disk nor shown again.
        </p>
      </div>
    </section>
  );
}

const askChoices: readonly (readonly [seconds: number, words: string])[] = [
  [0, 'always'],
  [2, 'when they take over 2 seconds'],
  [10, 'when they take over 10 seconds'],
  [60, 'when they take over a minute'],
  [Number.POSITIVE_INFINITY, 'never'],
];

function Cascades() {
  const [seconds, setSeconds] = useState(askAboveSeconds);
  return (
    <label>
      Ask before cells above run:{' '}
      <select
        value={seconds}
        onChange={(event) => {
          chooseAskAbove(Number(event.target.value));
          setSeconds(Number(event.target.value));
        }}
      >
        {askChoices.map(([value, words]) => (
          <option key={words} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
