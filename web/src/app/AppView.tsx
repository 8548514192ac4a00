// The notebook as something to read: notes, controls and results, no code. Embedded, it tells its height to the page around.

import { useEffect, useRef } from 'react';
import { kindOf } from '../../../src/cellLanguages.ts';
import { WidgetCell } from '../cells/WidgetCell.tsx';
import { NotebookContext, useModel, useNotebook } from '../notebook/context.ts';
import { shownCells } from '../notebook/moving.ts';
import { useSession } from '../notebook/useSession.ts';
import { Displays } from '../outputs/Displays.tsx';
import { Markdown } from '../outputs/Markdown.tsx';
import { appHash, notebookHash } from '../route.ts';
import { type CellModel, whyStale } from '../state/index.ts';
import { Button, Chip, Message } from '../ui/index.ts';
import './app.css';

const embedHash = (sessionId: string): string => `${appHash(sessionId)}?embed=1`;

export function AppView({ sessionId, isEmbedded }: { sessionId: string; isEmbedded: boolean }) {
  const opening = useSession(sessionId, isEmbedded ? embedHash : appHash, true);
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
      <Reading isEmbedded={isEmbedded} />
    </NotebookContext>
  );
}

function Reading({ isEmbedded }: { isEmbedded: boolean }) {
  const { sessionId } = useNotebook();
  const name = useModel((model) => model.name);
  const shown = useModel(shownCells);
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

  return (
    <>
      {!isEmbedded && (
        <header className="app-top">
          <h1>{name}</h1>
          <a href={notebookHash(sessionId)}>Edit</a>
        </header>
      )}
      <main ref={place} className="app-view">
        <Connection />
        {shown.map((id) => (
          <Part key={id} cellId={id} />
        ))}
      </main>
    </>
  );
}

function Connection() {
  const connection = useModel((model) => model.connection);
  if (connection !== 'offline' && connection !== 'closed') return null;
  return (
    <Message tone="stale" action={<Button onClick={() => window.location.reload()}>Try again</Button>}>
      Not connected: this is what the notebook showed last, and controls do nothing now.
    </Message>
  );
}

const isHidden = ({ source }: CellModel): boolean => /^\s*(#|--)\s*@app\s+hide\b/m.test(source);
const nameLine = /^\s*(?:#|--)\s*@name\s+(\S.*)$/m;

function Part({ cellId }: { cellId: string }) {
  const { sessionId } = useNotebook();
  const cell = useModel((model) => model.cells.get(cellId));
  const isOld = useModel((model) => cell !== undefined && whyStale(model, cell) !== null);
  if (!cell || isHidden(cell)) return null;
  if (kindOf(cell.language) === 'text') return <Markdown text={cell.source} />;
  if (kindOf(cell.language) === 'controls') return <WidgetCell cell={cell} />;
  if (cell.displays.length === 0) return null;
  const title = nameLine.exec(cell.source)?.[1];
  return (
    <section aria-label={title}>
      {title !== undefined && <h2>{title}</h2>}
      {isOld && <Chip tone="stale">not up to date</Chip>}
      <Displays cell={cell} sessionId={sessionId} />
    </section>
  );
}
