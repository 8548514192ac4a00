// Everything around the cells: the bar on top, the rail of panels, the line at the bottom, and what lies over the page.
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo } from 'react';
import { keepReport, reportOf, saysSomething } from '../importReports.ts';
import { useModel, useNotebook, useView } from '../notebook/context.ts';
import { createKeys } from '../notebook/keys.ts';
import { Notices } from '../notebook/Notices.tsx';
import { ReadQuestion } from '../notebook/ReadQuestion.tsx';
import { useReactions } from '../notebook/reactions.ts';
import { useDroppedFiles } from '../notebook/useDroppedFiles.ts';
import { Panel } from '../panels/Panel.tsx';
import { Banner } from './Banner.tsx';
import { CellList } from './CellList.tsx';
import { Overlay } from './Overlay.tsx';
import { Rail } from './Rail.tsx';
import { StatusLine } from './StatusLine.tsx';
import { TopBar } from './TopBar.tsx';

const AgentBar = lazy(() => import('./AgentBar.tsx').then((room) => ({ default: room.AgentBar })));

export function Workbench() {
  const session = useNotebook();
  const name = useModel((model) => model.name);
  const overlay = useView((view) => view.overlay);
  const panel = useView((view) => view.panel);
  const hasAgents = useModel(
    ({ agents }) => agents.recent.length > 0 || agents.acts.length > 0 || agents.stopped_by !== null,
  );
  const keys = useMemo(() => createKeys(session), [session]);
  useReactions(session);

  useEffect(() => {
    document.title = name;
  }, [name]);

  // What an import changed is told once without being asked.
  useEffect(() => {
    const { path } = session.store.get();
    const kept = reportOf(path);
    if (!kept || kept.isSeen || !saysSomething(kept.report)) return;
    keepReport(path, kept.report, true);
    session.view.send({ kind: 'overlay', overlay: 'report' });
  }, [session]);

  // At once: what is pressed while one session takes the place of another is not lost.
  useLayoutEffect(() => {
    const { end } = session.writingOn;
    window.addEventListener('keydown', keys);
    window.addEventListener('pointerdown', end);
    return () => {
      window.removeEventListener('keydown', keys);
      window.removeEventListener('pointerdown', end);
    };
  }, [keys, session]);

  const isDropping = useDroppedFiles(session);

  return (
    <div className={panel === null ? 'workbench' : 'workbench with-panel'}>
      <TopBar />
      <Rail />
      {panel !== null && <Panel name={panel} />}
      <main className="bench-main">
        <Banner />
        {hasAgents && (
          <Suspense fallback={null}>
            <AgentBar />
          </Suspense>
        )}
        <CellList />
      </main>
      <StatusLine />
      <Notices />
      <ReadQuestion />
      {overlay !== null && <Overlay name={overlay} />}
      {isDropping && <p className="drop-note">Drop files to add them to this notebook</p>}
    </div>
  );
}
