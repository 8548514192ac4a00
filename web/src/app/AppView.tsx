// The notebook as something to read: notes, controls and results, no code. Embedded, it tells its height to the page around.

import { memo, useEffect, useMemo, useRef } from 'react';
import { type AppBlock, appColumns, arrange, type Placed, withoutAppHints } from '../../../src/appLayout.ts';
import { kindOf } from '../../../src/cellLanguages.ts';
import { WidgetCell } from '../cells/WidgetCell.tsx';
import { useComingBack } from '../notebook/comingBack.ts';
import { NotebookContext, useModel, useNotebook } from '../notebook/context.ts';
import { shownCells } from '../notebook/moving.ts';
import { Notices } from '../notebook/Notices.tsx';
import { useSession } from '../notebook/useSession.ts';
import { Displays } from '../outputs/Displays.tsx';
import { Markdown } from '../outputs/Markdown.tsx';
import { appHash, inTheSameWay, notebookHash } from '../route.ts';
import { whyStale } from '../state/index.ts';
import { Button, Chip, Message, printPage } from '../ui/index.ts';
import { Tabs } from './Tabs.tsx';
import './app.css';

const sameHash = (sessionId: string): string => inTheSameWay(appHash(sessionId));

export function AppView({ sessionId, isEmbedded }: { sessionId: string; isEmbedded: boolean }) {
  const opening = useSession(sessionId, sameHash, true);
  if (opening.state === 'opening') return null;
  if (opening.state === 'failed') {
    return (
      <main className="app-view">
        <Message tone="error">This notebook cannot be shown. {opening.reason}</Message>
      </main>
    );
  }
  return (
    <NotebookContext value={opening.session}>
      <Reading isEmbedded={isEmbedded} mayEdit={!opening.mayOnlyRead} />
    </NotebookContext>
  );
}

function Reading({ isEmbedded, mayEdit }: { isEmbedded: boolean; mayEdit: boolean }) {
  const { sessionId } = useNotebook();
  const name = useModel((model) => model.name);
  const shown = useModel(shownCells);
  const cells = useModel((model) => model.cells);
  const { aside, blocks } = useMemo(() => arrange(shown, (id) => cells.get(id)?.source ?? ''), [shown, cells]);
  const place = useRef<HTMLElement>(null);

  useEffect(() => {
    document.title = name;
  }, [name]);

  useEffect(() => {
    const element = place.current;
    if (!isEmbedded || !element) return;
    const tell = () =>
      window.parent.postMessage({ type: 'svc:embed:resize', sessionId, height: element.scrollHeight }, '*');
    const watch = new ResizeObserver(tell);
    watch.observe(element);
    return () => watch.disconnect();
  }, [isEmbedded, sessionId]);

  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      void printPage();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);

  return (
    <>
      {!isEmbedded && (
        <header className="app-top">
          <h1>{name}</h1>
          <a href={notebookHash(sessionId)}>{mayEdit ? 'Edit' : 'See the code'}</a>
        </header>
      )}
      <main ref={place} className={`app-view${aside.length > 0 ? ' with-aside' : ''}${isWide(blocks) ? ' wide' : ''}`}>
        <Connection />
        <Notices />
        {aside.length > 0 && (
          <aside className="app-aside" aria-label="Sidebar">
            {aside.map((id) => (
              <Part key={id} cellId={id} />
            ))}
          </aside>
        )}
        <div className="app-grid">
          {blocks.map((block) =>
            block.kind === 'part' ? (
              <PlacedPart key={block.part} {...block} />
            ) : (
              <Tabs
                key={block.tabs[0]?.parts[0]?.part}
                tabs={block.tabs.map(({ name, parts }) => ({
                  name,
                  content: parts.map((part) => <PlacedPart key={part.part} {...part} />),
                }))}
              />
            ),
          )}
        </div>
      </main>
    </>
  );
}

function Connection() {
  useComingBack(sameHash);
  const connection = useModel((model) => model.connection);
  const closed = useModel((model) => model.closed);
  if (connection !== 'offline' && connection !== 'closed') return null;
  return (
    <Message tone="stale" action={<Button onClick={() => window.location.reload()}>Try again</Button>}>
      {closed && closed.reason !== 'shutdown'
        ? closed.message
        : 'Not connected: this is what the notebook showed last.'}{' '}
      Widgets do nothing now.
    </Message>
  );
}

const isWide = (blocks: readonly AppBlock<string>[]): boolean =>
  blocks.some((block) => (block.kind === 'part' ? [block] : block.tabs.flatMap(({ parts }) => parts)).some(isNarrowed));
const isNarrowed = ({ width }: Placed<string>): boolean => width < appColumns;

function PlacedPart({ part, width }: Placed<string>) {
  return (
    <div className="app-part" style={{ gridColumn: `span ${width}` }}>
      <Part cellId={part} />
    </div>
  );
}

const nameLine = /^\s*(?:#|--)\s*@name\s+(\S.*)$/m;

const Part = memo(function Part({ cellId }: { cellId: string }) {
  const { sessionId } = useNotebook();
  const cell = useModel((model) => model.cells.get(cellId));
  const isOld = useModel((model) => cell !== undefined && whyStale(model, cell) !== null);
  if (!cell) return null;
  if (kindOf(cell.language) === 'text') return <Markdown text={withoutAppHints(cell.source)} />;
  if (kindOf(cell.language) === 'controls') return <WidgetCell cell={cell} />;
  const { status, problem, displays } = cell;
  const isBusy = status === 'running';
  if (displays.length === 0 && !problem) return null;
  const title = nameLine.exec(cell.source)?.[1];
  return (
    <section aria-label={title} aria-busy={isBusy}>
      {title !== undefined && <h2>{title}</h2>}
      {(isBusy || isOld) && (
        <p className="app-state">
          <Chip tone={isBusy ? 'accent' : 'stale'}>{isBusy ? 'running' : 'not up to date'}</Chip>
        </p>
      )}
      {problem && (
        <Message tone="error">
          {title ?? 'A part of this page'} could not be computed. {problem.type}
          {problem.message !== '' && `: ${problem.message}`}
        </Message>
      )}
      <Displays cell={cell} sessionId={sessionId} />
    </section>
  );
});
