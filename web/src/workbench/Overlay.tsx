// What lies over the page, one at a time.
import { lazy, Suspense } from 'react';
import { deleteNotebook } from '../api/index.ts';
import { useNotebook } from '../notebook/context.ts';
import { ExplicitDialog } from '../notebook/ExplicitDialog.tsx';
import { FindDialog } from '../notebook/FindDialog.tsx';
import { ImportReportDialog } from '../notebook/ImportReportDialog.tsx';
import { Palette } from '../notebook/Palette.tsx';
import { PlacesDialog } from '../notebook/PlacesDialog.tsx';
import { RenameDialog } from '../notebook/RenameDialog.tsx';
import { ShortcutsDialog } from '../notebook/ShortcutsDialog.tsx';
import type { OverlayName } from '../notebook/view.ts';
import { WorkerDialog } from '../notebook/WorkerDialog.tsx';
import { DeleteDialog } from '../pages/DeleteDialog.tsx';
import { forget } from '../recents.ts';
import { go } from '../route.ts';
import './overlay.css';

const AssistDialog = lazy(() => import('../assist/AssistDialog.tsx').then((room) => ({ default: room.AssistDialog })));
const ShareDialog = lazy(() => import('../share/ShareDialog.tsx').then((room) => ({ default: room.ShareDialog })));

export function Overlay({ name }: { name: OverlayName }) {
  const { view, store } = useNotebook();
  const close = () => view.send({ kind: 'overlay', overlay: null });
  switch (name) {
    case 'palette':
      return <Palette onClose={close} />;
    case 'shortcuts':
      return <ShortcutsDialog onClose={close} />;
    case 'find':
      return <FindDialog onClose={close} />;
    case 'explicit':
      return <ExplicitDialog name={view.get().subject} onClose={close} />;
    case 'rename':
      return <RenameDialog name={view.get().subject} onClose={close} />;
    case 'places':
      return <PlacesDialog name={view.get().subject} onClose={close} />;
    case 'assist':
      return (
        <Suspense fallback={null}>
          <AssistDialog subject={view.get().subject} onClose={close} />
        </Suspense>
      );
    case 'share':
      return (
        <Suspense fallback={null}>
          <ShareDialog onClose={close} />
        </Suspense>
      );
    case 'worker':
      return <WorkerDialog onClose={close} />;
    case 'report':
      return <ImportReportDialog onClose={close} />;
    case 'delete': {
      const model = store.get();
      return (
        <DeleteDialog
          name={model.name}
          path={model.path}
          onClose={close}
          onDelete={async () => {
            await deleteNotebook(model.path);
            forget(model.path);
            go('#/');
          }}
        />
      );
    }
  }
}
