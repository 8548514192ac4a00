// How cells run: their time limit, what is asked before, whether they follow, and where they find their files.
import { useState } from 'react';
import { setKeepsWidgets, setReactive, setStrictPackages, setTimeoutSeconds } from '../../api/index.ts';
import { useModel, useNotebook } from '../../notebook/context.ts';
import { askAboveSeconds, chooseAskAbove } from '../../notebook/running.ts';
import { OneSetting, SettingForm } from './SettingForm.tsx';
import { useSetting } from './useSetting.ts';

const daySeconds = 86_400;

export function CellSettings() {
  return (
    <>
      <TimeLimit />
      <Ask />
      <Switch
        id="reactive"
        hint="A cell that is cheap runs by itself when something above it changes; expensive ones wait and say why."
        doing="changing reactive mode"
        read={(model) => model.reactive}
        write={setReactive}
      />
      <Switch
        id="keepWidgets"
        hint="The process of a cell stays while somebody uses its widgets."
        doing="changing whether cells are kept for widgets"
        read={(model) => model.keepsWidgets}
        write={setKeepsWidgets}
      />
      <Switch
        id="strictPackages"
        hint="Otherwise cells that did not look for a package that came, went or changed keep their results."
        doing="changing what packages make stale"
        read={(model) => model.strictPackages}
        write={setStrictPackages}
      />
      <Folder />
    </>
  );
}

function TimeLimit() {
  const { sessionId } = useNotebook();
  const timeout = useModel((model) => model.timeout);
  const setting = useSetting({
    id: 'timeout',
    saved: timeout === null ? '' : String(timeout),
    doing: 'setting the time limit',
    write: (text) => setTimeoutSeconds(sessionId, text.trim() === '' ? null : Number(text)),
    objection(text) {
      const seconds = Number(text);
      if (text.trim() === '' || (seconds > 0 && seconds <= daySeconds)) return null;
      return `Write a number of seconds above 0, at most ${daySeconds} (a day), or nothing for 300.`;
    },
  });
  return (
    <SettingForm
      setting={setting}
      hint={
        <>
          In seconds. Empty: 300. A cell can set its own with <code>#&nbsp;@timeout</code>.
        </>
      }
    >
      {(label, describedBy) => (
        <input
          className="input"
          aria-label={label}
          aria-describedby={describedBy}
          aria-invalid={setting.problem !== null}
          inputMode="decimal"
          placeholder="300"
          value={setting.value}
          onChange={(event) => setting.change(event.target.value)}
        />
      )}
    </SettingForm>
  );
}

const askChoices: readonly (readonly [seconds: number, words: string])[] = [
  [0, 'always'],
  [2, 'when they take over 2 seconds'],
  [10, 'when they take over 10 seconds'],
  [60, 'when they take over a minute'],
  [Number.POSITIVE_INFINITY, 'never'],
];

/** A wish of the person, not of the notebook: it is kept in this browser at once. */
function Ask() {
  const { undo } = useNotebook();
  const [seconds, setSeconds] = useState(askAboveSeconds);
  const choose = async (wanted: number): Promise<void> => {
    chooseAskAbove(wanted);
    setSeconds(wanted);
  };
  return (
    <OneSetting id="ask">
      <select
        className="input"
        aria-label="Ask before cells above run"
        value={seconds}
        onChange={(event) => {
          const wanted = Number(event.target.value);
          void choose(wanted);
          undo.did(
            'choosing when to ask',
            () => choose(seconds),
            () => choose(wanted),
          );
        }}
      >
        {askChoices.map(([value, words]) => (
          <option key={words} value={value}>
            {words}
          </option>
        ))}
      </select>
      <p className="panel-note">In this browser, for all notebooks.</p>
    </OneSetting>
  );
}

function Switch({
  id,
  hint,
  doing,
  read,
  write,
}: {
  id: string;
  hint: string;
  doing: string;
  read: (model: {
    readonly reactive: boolean;
    readonly keepsWidgets: boolean;
    readonly strictPackages: boolean;
  }) => boolean;
  write: (sessionId: string, isOn: boolean) => Promise<unknown>;
}) {
  const { sessionId } = useNotebook();
  const saved = useModel(read);
  const setting = useSetting({ id, saved, doing, write: (isOn) => write(sessionId, isOn) });
  return (
    <SettingForm setting={setting}>
      {(label, describedBy) => (
        <label className="switch">
          <input
            type="checkbox"
            aria-label={label}
            aria-describedby={describedBy}
            checked={setting.value}
            onChange={(event) => setting.change(event.target.checked)}
          />
          <span>{hint}</span>
        </label>
      )}
    </SettingForm>
  );
}

function Folder() {
  const path = useModel((model) => model.path);
  return (
    <OneSetting id="folder">
      <code className="setting-path">{path}/work</code>
      <p className="panel-note">Cells run here: a file in it is read by its name alone.</p>
    </OneSetting>
  );
}
