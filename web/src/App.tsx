// Which page is shown, by the part of the address after `#`. Every page but the first is loaded when it is asked for.
import { lazy, Suspense, useEffect, useState } from 'react';
import { readAhead, request, signedOut } from './api/index.ts';
import { Home } from './pages/Home.tsx';
import { type Route, useRoute } from './route.ts';
import { useAsker } from './scopes.ts';
import { Guard, Message } from './ui/index.ts';
import { tabKept } from './ui/kept.ts';

const notebookRoom = () => import('./workbench/NotebookPage.tsx').then((room) => ({ default: room.NotebookPage }));
const NotebookPage = lazy(notebookRoom);
const AppView = lazy(() => import('./app/AppView.tsx').then((room) => ({ default: room.AppView })));
const LogsPage = lazy(() => import('./pages/Logs.tsx').then((room) => ({ default: room.LogsPage })));
const ArtifactsPage = lazy(() => import('./pages/Artifacts.tsx').then((room) => ({ default: room.ArtifactsPage })));

const HealthPage = lazy(() => import('./pages/Health.tsx').then((room) => ({ default: room.HealthPage })));
const RegistryPage = lazy(() => import('./pages/Registry.tsx').then((room) => ({ default: room.RegistryPage })));
const SignInAgain = lazy(() => import('./pages/SignInAgain.tsx').then((room) => ({ default: room.SignInAgain })));
const SignIn = lazy(() => import('./pages/SignIn.tsx').then((room) => ({ default: room.SignIn })));

/** Starts loading what the first address needs before anything is drawn. */
export function loadAhead(route: Route): void {
  if (route.page === 'notebook' || route.page === 'app') readAhead(route.sessionId);
  if (route.page === 'notebook') void notebookRoom();
}

export function App() {
  const route = useRoute();
  const [isUnknown, setUnknown] = useState(false);
  const asker = useAsker();
  useEffect(() => {
    const hear = () => setUnknown(true);
    window.addEventListener(signedOut, hear);
    return () => window.removeEventListener(signedOut, hear);
  }, []);
  // Whoever was at work has their page still, and what they typed in it.
  const wasKnown = asker.principal !== null;
  return (
    <>
      <Guard key={route.page} what="This page" onMissing={() => void loadAnew().catch(() => {})}>
        <Suspense fallback={null}>{isUnknown && !wasKnown ? <SignIn /> : pageOf(route)}</Suspense>
      </Guard>
      {isUnknown && wasKnown && (
        <Guard what="Signing in">
          <Suspense fallback={null}>
            <SignInAgain who={asker} onBack={() => setUnknown(false)} />
          </Suspense>
        </Guard>
      )}
    </>
  );
}

/** Not again at once: what is missing then is not missing for its age. */
const loadedAnew = 'svc.loadedAnew';
const pauseMilliseconds = 60_000;

/** A server that is newer than what the tab holds has no files of before: the page that one goes to is loaded from it, if it answers. */
async function loadAnew(): Promise<void> {
  if (Date.now() - Number(tabKept.getItem(loadedAnew) ?? 0) < pauseMilliseconds) return;
  await request('GET', '/health');
  tabKept.setItem(loadedAnew, String(Date.now()));
  window.location.reload();
}

function pageOf(route: Route) {
  switch (route.page) {
    case 'home':
      return <Home />;
    case 'notebook':
      return <NotebookPage sessionId={route.sessionId} />;
    case 'app':
      return <AppView key={route.sessionId} sessionId={route.sessionId} isEmbedded={route.isEmbedded} />;
    case 'logs':
      return <LogsPage />;
    case 'artifacts':
      return <ArtifactsPage />;
    case 'registry':
      return <RegistryPage />;
    case 'health':
      return <HealthPage />;
    case 'unknown':
      return (
        <main>
          <Message action={<a href="#/">Go to your notebooks</a>}>There is no page at this address.</Message>
        </main>
      );
  }
}
