// The bar on top: which notebook this is, a way to every command, who else is here, and the one action that matters most.
import { useEffect, useState } from 'react';
import { messageOf, renameNotebook } from '../api/index.ts';
import { RunHint } from '../cells/RunHint.tsx';
import { Avatar } from '../notebook/Avatar.tsx';
import { nameFieldId } from '../notebook/commands.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { notebookMenu } from '../notebook/notebookMenu.ts';
import { useObjection } from '../notebook/rights.ts';
import { runOutdated, stopRunning } from '../notebook/running.ts';
import { turnReactive } from '../notebook/switching.ts';
import { ThemeButton } from '../pages/Shell.tsx';
import { remember } from '../recents.ts';
import { useIsShared } from '../scopes.ts';
import { duration, type NotebookModel, outdated, outdatedIds, runningCell } from '../state/index.ts';
import { Button, Chip, Icon, Keys, Menu } from '../ui/index.ts';

export function TopBar() {
  const session = useNotebook();
  useIsShared(); // its menu is another one there
  return (
    <header className="top-bar">
      <a className="icon-button" href="#/" aria-label="All notebooks" title="All notebooks">
        <Icon name="home" />
      </a>
      <Name />
      <span className="grow" />
      <button
        type="button"
        className="search-button"
        title="Commands and cells"
        onClick={() => session.view.send({ kind: 'overlay', overlay: 'palette' })}
      >
        <Icon name="search" size={15} />
        <span>Commands and cells</span>
        <Keys keys="Mod-k" />
      </button>
      <Others />
      <span className="wide-only">
        <ThemeButton />
      </span>
      <Menu label="Notebook" items={() => notebookMenu(session)}>
        <Icon name="more" />
      </Menu>
      <Follows />
      <RunButton />
    </header>
  );
}

const isInField = (): boolean => document.activeElement?.id === nameFieldId;

function Name() {
  const { sessionId, store, undo, isReadOnly } = useNotebook();
  const name = useModel((model) => model.name);
  const path = useModel((model) => model.path);
  const [text, setText] = useState(name);
  const [isTyping, setTyping] = useState(false);
  // What somebody types stays, though others rename it meanwhile.
  useEffect(() => {
    if (!isTyping) setText(name);
  }, [name, isTyping]);
  async function save(): Promise<void> {
    if (text.trim() === '' || text === name) return setText(name);
    try {
      const rename = async (to: string, from?: string): Promise<string> => {
        const called = store.get().name;
        // The page may not have been told yet of the name that it gave.
        if (from !== undefined && called !== from && called !== to)
          throw new Error(`it has been called ${called} since.`);
        const renamed = await renameNotebook(sessionId, to);
        remember({ sessionId, path, name: renamed.name });
        if (!isInField()) setText(renamed.name);
        return renamed.name;
      };
      await undo.inTurn(async () => {
        const given = await rename(text);
        undo.did(
          'renaming the notebook',
          () => rename(name, given),
          () => rename(given, name),
        );
      });
    } catch (error) {
      if (!isInField()) setText(name);
      store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' });
    }
  }
  return (
    <h1 className="top-name">
      <input
        id={nameFieldId}
        aria-label="Name of the notebook"
        title={path}
        value={text}
        readOnly={isReadOnly}
        size={Math.max(6, text.length)}
        onChange={(event) => {
          setText(event.target.value);
          setTyping(true);
        }}
        onBlur={() => void save().finally(() => setTyping(isInField()))}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
          if (event.key === 'Escape') {
            setText(name);
            setTyping(false);
          }
        }}
      />
    </h1>
  );
}

function Others() {
  const presence = useModel((model) => model.presence);
  const others = presence.principals.filter(({ principal }) => principal !== presence.you);
  if (others.length === 0) return null;
  return (
    <span className="others">
      {others.slice(0, 5).map(({ principal }) => (
        <Avatar key={principal} name={principal} note="has this notebook open" />
      ))}
    </span>
  );
}

/** Seen while it is on; the menu and the palette turn it on. */
function Follows() {
  const session = useNotebook();
  const isOn = useModel((model) => model.reactive);
  if (!isOn) return null;
  return (
    <Button
      look="quiet"
      title="Cheap cells follow a change by themselves, others wait and say why. Press to turn it off."
      aria-label="Reactive"
      aria-pressed
      disabled={session.isReadOnly}
      onClick={() => void turnReactive(session)}
    >
      <Icon name="live" size={14} />
      <span className="wide-only">Reactive</span>
    </Button>
  );
}

const countOf = (model: NotebookModel): number => outdated(model).count;
const costOf = (model: NotebookModel): number => outdated(model).estimateMs;
/** Also with what waits for its turn or for the environment: it can be stopped, too. */
const isBusy = (model: NotebookModel): boolean =>
  runningCell(model) !== undefined || model.queue.length > 0 || model.waitingRun !== null;

function RunButton() {
  const session = useNotebook();
  const count = useModel(countOf);
  const cost = useModel(costOf);
  const busy = useModel(isBusy);
  const objection = useObjection('notebook:execute');
  if (session.isReadOnly)
    return (
      <Chip title="You may read this notebook. Ask whoever runs the server for notebook:write to change it.">
        read only
      </Chip>
    );
  // They change the text and may not run it.
  if (objection !== null) return <Chip title={objection}>may not run</Chip>;
  if (busy) {
    return (
      <Button onClick={() => stopRunning(session)}>
        <Icon name="stop" size={13} /> Stop
      </Button>
    );
  }
  return (
    <RunHint cellIds={() => outdatedIds(session.store.get())}>
      <Button look={count > 0 ? 'primary' : 'plain'} disabled={count === 0} onClick={() => runOutdated(session)}>
        {count === 0 ? (
          'Up to date'
        ) : (
          <>
            {count === 1 ? 'Run 1 cell' : `Run ${count} cells`} {cost > 0 && <small>≈ {duration(cost)}</small>}
          </>
        )}
      </Button>
    </RunHint>
  );
}
