// The panel beside the cells: a title, a way to close it, and one of the rooms, loaded when it is opened.
import { type ComponentType, type LazyExoticComponent, lazy, Suspense } from 'react';
import { useNotebook } from '../notebook/context.ts';
import type { PanelName } from '../notebook/view.ts';
import { Guard, IconButton } from '../ui/index.ts';
import './panel.css';

const rooms: Readonly<Record<PanelName, readonly [title: string, room: LazyExoticComponent<ComponentType>]>> = {
  outline: ['Outline', lazy(() => import('./Outline.tsx').then((room) => ({ default: room.Outline })))],
  graph: ['Graph', lazy(() => import('./Graph.tsx').then((room) => ({ default: room.Graph })))],
  variables: ['Variables', lazy(() => import('./Variables.tsx').then((room) => ({ default: room.Variables })))],
  environment: ['Environment', lazy(() => import('./Environment.tsx').then((room) => ({ default: room.Environment })))],
  files: ['Files', lazy(() => import('./Files.tsx').then((room) => ({ default: room.Files })))],
  profile: ['Time', lazy(() => import('./Profile.tsx').then((room) => ({ default: room.ProfilePanel })))],
  workers: ['Workers', lazy(() => import('./Workers.tsx').then((room) => ({ default: room.Workers })))],
  settings: ['Settings', lazy(() => import('./Settings.tsx').then((room) => ({ default: room.Settings })))],
};

export function Panel({ name }: { name: PanelName }) {
  const { view } = useNotebook();
  const [title, Room] = rooms[name];
  return (
    <aside className="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <IconButton icon="close" label={`Close ${title}`} onClick={() => view.send({ kind: 'panel', panel: null })} />
      </header>
      <div className="panel-body">
        <Guard key={name} what={title}>
          <Suspense fallback={null}>
            <Room />
          </Suspense>
        </Guard>
      </div>
    </aside>
  );
}
