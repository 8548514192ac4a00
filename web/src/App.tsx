// Which page is shown, by the part of the address after `#`. Every page but the first is loaded when it is asked for.
import { lazy, Suspense } from 'react';
import { Home } from './pages/Home.tsx';
import { useRoute } from './route.ts';
import { Message } from './ui/index.ts';

const NotebookPage = lazy(() => import('./notebook/NotebookPage.tsx').then((room) => ({ default: room.NotebookPage })));
const AppView = lazy(() => import('./app/AppView.tsx').then((room) => ({ default: room.AppView })));
const LogsPage = lazy(() => import('./pages/Logs.tsx').then((room) => ({ default: room.LogsPage })));
const ArtifactsPage = lazy(() => import('./pages/Artifacts.tsx').then((room) => ({ default: room.ArtifactsPage })));

export function App() {
  const route = useRoute();
  return <Suspense fallback={null}>{pageOf(route)}</Suspense>;
}

function pageOf(route: ReturnType<typeof useRoute>) {
  switch (route.page) {
    case 'home':
      return <Home />;
    case 'notebook':
      return <NotebookPage key={route.sessionId} sessionId={route.sessionId} />;
    case 'app':
      return <AppView key={route.sessionId} sessionId={route.sessionId} isEmbedded={route.isEmbedded} />;
    case 'logs':
      return <LogsPage />;
    case 'artifacts':
      return <ArtifactsPage />;
    case 'unknown':
      return (
        <main>
          <Message action={<a href="#/">Go to your notebooks</a>}>There is no page at this address.</Message>
        </main>
      );
  }
}
