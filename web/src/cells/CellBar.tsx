// The one line above a cell: what it is called, how it stands, how long it took, and what can be done.

import { memo, useEffect, useState } from 'react';
import { kindOf, languageFacts, usualLanguage } from '../../../src/cellLanguages.ts';
import { useModel, useNotebook } from '../notebook/context.ts';
import { useObjection } from '../notebook/rights.ts';
import { runCell, stopRunning } from '../notebook/running.ts';
import {
  type CellModel,
  cellName,
  duration,
  failedAbove,
  isPreparing,
  labelOf,
  stoppedAfter,
  touchedInDetail,
  touchedInWords,
  whereInWords,
  whyWaiting,
} from '../state/index.ts';
import { Chip, Dot, IconButton } from '../ui/index.ts';
import { CellMenu } from './CellMenu.tsx';
import { CommentCount } from './CommentCount.tsx';
import { Editors } from './Editors.tsx';
import { RunHint } from './RunHint.tsx';

/** Less than this saved is no news. */
const worthTelling = 1000;

export const CellBar = memo(function CellBar(props: { cell: CellModel; stale: string | null; isCollapsed: boolean }) {
  const { cell, stale, isCollapsed } = props;
  const session = useNotebook();
  const mayRun = useObjection('notebook:execute') === null;
  const isNote = kindOf(cell.language) === 'text';
  const name = cellName(cell);
  const isRunning = cell.status === 'running';
  const stopped = stoppedAfter(cell);
  const waiting = useModel((model) => whyWaiting(model, cell));
  return (
    <div className={`cell-bar${isNote ? ' note' : ''}${isCollapsed ? ' folded' : ''}`}>
      {!isNote && <Dot status={stale === null ? cell.status : 'stale'} />}
      {name !== '' && !isNote && <span className="cell-name">{name}</span>}
      {cell.language !== usualLanguage && !isNote && (
        <span className="cell-language">{languageFacts[cell.language].label}</span>
      )}
      {isCollapsed && <span className="cell-folded">{firstLine(cell.source)}</span>}
      {stale !== null && waiting === null && <Chip tone="stale">stale: {stale}</Chip>}
      {waiting !== null && <Waiting cellId={cell.id} words={waiting} stale={stale} />}
      {cell.status === 'error' && <Chip tone="error">failed</Chip>}
      <FailedAbove cell={cell} />
      {stopped !== null && <Stopped cell={cell} afterMs={stopped} />}
      {isRunning && <Running cell={cell} />}
      <Queued cellId={cell.id} />
      {stopped === null && cell.status === 'ready' && cell.cacheHit && (
        <Chip tone="cached" title="The result was found under the same source and inputs; nothing was computed">
          reused
          {cell.durationMs === null || cell.durationMs < worthTelling ? '' : ` · saved ${duration(cell.durationMs)}`}
        </Chip>
      )}
      {cell.worker !== null && <Chip tone="accent">{cell.worker}</Chip>}
      {stopped === null && !cell.cacheHit && cell.durationMs !== null && cell.status === 'ready' && !isNote && (
        <span className="cell-time">{duration(cell.durationMs)}</span>
      )}
      {cell.effects && cell.status !== 'running' && <Touched effects={cell.effects} />}
      <CommentCount cellId={cell.id} />
      <Credit by={cell.updatedBy} />
      <Editors cellId={cell.id} />
      {!session.isReadOnly && (
        <span className="cell-actions">
          {mayRun && isRunning ? (
            <IconButton icon="stop" label="Stop" onClick={() => stopRunning(session)} />
          ) : (
            mayRun &&
            !isNote && (
              <RunHint cellIds={() => [cell.id]}>
                <IconButton icon="run" label="Run" onClick={() => runCell(session, cell.id)} />
              </RunHint>
            )
          )}
          <CellMenu cell={cell} />
        </span>
      )}
    </div>
  );
});

/** Whom the text is by, where that is not the person here alone: a colleague, an agent, a model. */
function Credit({ by }: { by: string | null }) {
  const you = useModel(({ presence }) => presence.you);
  return by === null || by === you || by === 'local' ? null : (
    <span className="cell-credit" title="Who changed the text last">
      {by.startsWith('local with ') ? by.slice('local '.length) : `by ${by}`}
    </span>
  );
}

function Touched({ effects }: { effects: NonNullable<CellModel['effects']> }) {
  const words = touchedInWords(effects);
  return words === '' ? null : (
    <span className="cell-touched" title={touchedInDetail(effects)}>
      {words}
    </span>
  );
}

/** In a reactive notebook: what did not follow by itself. */
function Waiting({ cellId, words, stale }: { cellId: string; words: string; stale: string | null }) {
  const session = useNotebook();
  const mayRun = useObjection('notebook:execute') === null;
  return (
    <>
      <Chip tone="stale" {...(stale === null ? {} : { title: `stale: ${stale}` })}>
        waits: {words}
      </Chip>
      {mayRun && (
        <button type="button" className="cell-again" onClick={() => runCell(session, cellId)}>
          Run it
        </button>
      )}
    </>
  );
}

/** It may be far above, and whoever runs this cell sees nothing happen. */
function FailedAbove({ cell }: { cell: CellModel }) {
  const { view } = useNotebook();
  const failed = useModel((model) => failedAbove(model, cell));
  const label = useModel((model) => (failed === null ? '' : labelOf(model, failed)));
  return failed === null ? null : (
    <span className="cell-time">
      needs{' '}
      <button
        type="button"
        className="cell-again"
        onClick={() => view.send({ kind: 'jump', cellId: failed, line: null })}
      >
        {label}
      </button>
      , which failed
    </span>
  );
}

function Stopped({ cell, afterMs }: { cell: CellModel; afterMs: number }) {
  const session = useNotebook();
  const mayRun = useObjection('notebook:execute') === null;
  const shown = cell.status === 'ready' ? 'The result below is from an earlier run.' : 'It has no result yet.';
  return (
    <>
      <Chip tone="stale" title={`Its run was stopped before it ended. ${shown}`}>
        stopped after {duration(afterMs)}
      </Chip>
      {mayRun && (
        <button type="button" className="cell-again" onClick={() => runCell(session, cell.id)}>
          Run again
        </button>
      )}
    </>
  );
}

function Queued({ cellId }: { cellId: string }) {
  const place = useModel((model) => model.queue.indexOf(cellId));
  const isForEnvironment = useModel(isPreparing);
  return place < 0 ? null : (
    <Chip tone="accent">{isForEnvironment ? 'waits for the environment' : 'waits for its turn'}</Chip>
  );
}

function Running({ cell }: { cell: CellModel }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const { startedAt, progress } = cell;
  return (
    <span className="cell-running">
      {whereInWords(cell)}
      {startedAt !== null && now - startedAt > 900 ? ` · ${duration(now - startedAt)}` : ''}
      {progress && ` · ${progress.word} ${progress.done} of ${progress.total}`}
    </span>
  );
}

const firstLine = (source: string): string =>
  source
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.slice(0, 80) ?? 'empty';
